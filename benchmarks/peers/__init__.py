"""What the benchmarks measure: the scenes, and each engine's cycle over them."""

import sys
from pathlib import Path

#: Coal's object for a shape is that of `tests.oracles.coal`.
sys.path.insert(0, str(Path(__file__).parent.parent.parent))
