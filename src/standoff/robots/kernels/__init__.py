"""Forward kinematics, compiled."""
