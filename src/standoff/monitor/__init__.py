"""What is too close at this instant: buffers, thresholds, the safety cycle."""
