"""How early two bodies can touch, and which pairs to look at next, on plain numbers and arrays."""
