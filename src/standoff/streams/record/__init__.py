"""The recording of a watch: all that came in, all that it said, in one MCAP file."""
