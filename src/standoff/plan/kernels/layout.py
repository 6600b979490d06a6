"""The tables of a search for a path, in an arena (`compiled.arena`) of its own.

Two trees grow, 0 from the start and 1 from the goals. Both keep whole configurations, coordinate by
coordinate, so that a scan for the nearest node runs along memory: column ``i`` of the rows
``tree * joints + j`` is node ``i``. Only the joints in G_MOVES are planned; the others stay as the
start has them.

A joint with a period is a circle: distances and steps go the shorter way round, and the values of
neighbouring nodes differ by less than half a turn, however many turns a branch has made.
"""

from __future__ import annotations

#: How every growing kernel begins: addresses of `check_segments` and `step`, the address of
#: `pair_distance` with both arenas of the checker, and the arena of these tables.
GROWING = (
    "int64, int64, int64, float64[::1], int64[::1], float64[::1], int64[::1],"
    " float64[::1], int64[::1]"
)

# float64 tables
G_NODES = 0  #: (2 * joints, nodes)
G_SPACE = 1  #: (SPACE_ROWS, joints)
G_TARGET = 2  #: (1, joints) where the present branch is to go
G_FROM = 3  #: (1, joints) ends of the edge that is checked
G_TO = 4  #: (1, joints)
G_NONE = 5  #: (1, joints) zeros
G_APART = 6  #: (1, nodes) squared distances
G_SETTINGS = 7  #: (1, SETTINGS)
G_STRIDES = 8  #: (2, nodes) longest edge that a node tries

# int64 tables
G_PARENTS = 9  #: (2, nodes); -1 for a root
G_MOVES = 10  #: (1, planned joints)
G_KINDS = 11  #: (1, 1) what was found of the edge
G_HEADER = 12  #: (1, HEADER_COLUMNS)

# rows of G_SPACE
LOW = 0
HIGH = 1
WEIGHT = 2  #: squared
PERIOD = 3  #: 0: none
SPACE_ROWS = 4

# columns of G_SETTINGS
STEP = 0  #: longest edge
SETTINGS = 1

# columns of G_HEADER
SIZE = 0  #: nodes of either tree
PHASE = 2
TREE = 3  #: whose turn it is
NEAR = 4  #: node that the present branch has reached
CURSOR = 5  #: random numbers that were used
EDGES = 6  #: checked
UNTIL = 7  #: edges at which to come back
BUDGET = 8  #: tests of one edge
BRIDGE = 9  #: nodes of either tree that met
MEANT = 11  #: node of the growing tree that the other one is to reach
HEADER_COLUMNS = 12

# phases
SAMPLING = 0
EXTENDING = 1
CONNECTING = 2

# why a kernel came back
SOLVED = 0
AGAIN = 1  #: as many edges as it was to check
DRY = 2  #: no random numbers left
CROWDED = 3  #: no room for another node
CRAMPED = 4  #: a table of the checker's scratch is too small
