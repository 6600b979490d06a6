"""Python made into machine code: the decorators, declared tables, calls by address."""
