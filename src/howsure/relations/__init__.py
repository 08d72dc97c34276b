"""Relations among the measures of a table."""

from __future__ import annotations

from howsure.relations.association import Association, associate, chance

__all__ = ["Association", "associate", "chance"]
