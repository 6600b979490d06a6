"""Joint states in, warnings out: files, ROS bags, MCAP and Zenoh."""
