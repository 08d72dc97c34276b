"""Is B better than A? Independent tests, the same items, wins only, and many systems at once."""
