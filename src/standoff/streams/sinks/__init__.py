"""Where reports go: one file a kind."""
