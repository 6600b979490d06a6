"""What a name may look like, be it of a link, a joint, a robot or a body."""

from __future__ import annotations

#: Longest name of a link, a joint, a robot or a body, [characters]; longer ones are noise.
MAX_NAME_LENGTH = 200


#: The rule in words, to follow "text without".
NAME_RULE = f"line breaks or control characters, 1 to {MAX_NAME_LENGTH} characters long"


def is_name(text: str) -> bool:
    """Whether ``text`` can stand in a message, a table or a log as one short word of one line."""
    return 0 < len(text) <= MAX_NAME_LENGTH and text.isprintable()
