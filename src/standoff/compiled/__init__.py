"""Python made into machine code: the decorators, tables in arenas, calls by address."""
