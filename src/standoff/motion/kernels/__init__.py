"""The motion bound and what it proves, compiled."""
