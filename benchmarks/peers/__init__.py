"""What `benchmarks/monitor.py` measures: the scenes, and each engine's cycle over them."""
