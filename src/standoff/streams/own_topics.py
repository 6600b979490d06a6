"""A watch that listens where it speaks would hear itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from standoff.errors import StreamError
from standoff.streams.open_sink import sink_key
from standoff.streams.open_source import source_keys
from standoff.streams.sinks.zenoh_topics import topics_of


def check_not_heard(sources: Sequence[str], sinks: Sequence[str]) -> None:
    """Refuse a source of Zenoh whose keys are also those that a sink publishes. Each report would
    be a message that is none, and so the next report: a fault without end. Whatever addresses they
    have: a router may bring back what was sent elsewhere.

    Raises:
        StreamError: it names both, and the keys.
    """
    said = {text: topics_of(key) for text in sinks if (key := sink_key(text))}
    heard = {text: source_keys(text) for text in sources}
    if not said or not any(heard.values()):
        return
    try:
        import zenoh
    except ImportError:
        return  # who opens them says so
    for source, keys in heard.items():
        for sink, topics in said.items():
            both = [topic for topic in topics if any(_meet(zenoh, key, topic) for key in keys)]
            if both:
                raise StreamError(
                    f"the watch would hear itself: --to {sink} publishes {' and '.join(both)}",
                    element="--from", value=source,
                    allowed="keys without these, such as cell/joint_states or cell/*/joint_states",
                )  # fmt: skip


def _meet(zenoh: Any, one: str, other: str) -> bool:
    """Whether two expressions have a key in common; not where one is none: who opens it says so."""
    try:
        return bool(zenoh.KeyExpr.autocanonize(one).intersects(zenoh.KeyExpr.autocanonize(other)))
    except zenoh.ZError:
        return False
