"""Joint states in, warnings out: files, ROS bags, MCAP and Zenoh.

A message goes from its source (`streams.sources`) through the run (`streams.runner`) into
`streams.engine`, which asks the monitor; its report goes to the sinks (`streams.sinks`).
"""
