"""Games between anything that plays, and what they say about strength."""
