"""The monitor: joint angles in, imminent collisions out, every cycle, none missed."""
