"""Settings of the property tests: no deadline an example, because the first call of a part imports it."""

from hypothesis import settings

settings.register_profile("howsure", deadline=None)
settings.load_profile("howsure")
