"""Bounds on what `streams` takes, and numbers that several of its modules share."""

from __future__ import annotations

#: How many periods the default `max_age` is at least, [-]: one reading lost is no silence.
MAX_AGE_PERIODS = 3.0

#: Times beyond this are none, [s]: 272 years from 1970, with a resolution of 2 us.
TIME_LIMIT = 2.0**33

#: How often a watch that receives nothing says that it is still there, [s].
HEARTBEAT = 0.1

#: Reports that wait for one sink, [-]: some seconds at 1 kHz.
OUTBOX_DEPTH = 4096

#: How long a replay waits for a sink that is full, and the end of a watch for one that has not yet
#: written all, before what is left counts as lost, [s].
SINK_PATIENCE = 5.0

#: Different lists of names that one source may have, [-]: one for each publisher of a topic. A
#: source with more makes names up, and they would fill the memory.
MOST_PUBLISHERS = 64

#: Inputs of one block of a record, [-], at most: larger ones are not read.
RECORD_BLOCK = 1 << 16

#: Seconds of a watch between two lines in which nothing happened, [s]: enough to see that it lives,
#: and a day is 86,400 lines.
QUIET_LINE_PERIOD = 1.0

#: Longest line of a stream of text, and largest message of a bag or a network that is taken apart,
#: [bytes]. A reading of 1,000 joints is 50 kB; beyond this somebody floods the memory.
MAX_STREAM_MESSAGE = 1 << 20

#: Most joints of one reading, and most bodies of one message, [-].
MAX_STREAM_NAMES = 1000

#: Largest chunk of a bag, unpacked, and largest record that is kept in memory, [bytes]. Recorders
#: close a chunk after 1 to 4 MB, or after one image or point cloud that is larger: 25 MB in 4K.
MAX_STREAM_CHUNK = 64 << 20

#: Messages of a bag without chunks that are put into order of time together, [-].
STREAM_BLOCK = 1024

#: Topics and types of a bag that are kept, [-]; beyond, the file is noise.
MAX_STREAM_TOPICS = 10_000
