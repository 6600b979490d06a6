"""Where messages come from: one file a kind."""
