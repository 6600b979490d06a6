"""An XML element that knows where it stands, with accessors that drop nothing in silence."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from standoff.errors import NOTHING, Error, MeshError, RobotError
from standoff.names import NAME_RULE, is_name

#: Longest text of a single number or vector in a file, [characters].
MAX_NUMBER_TEXT = 1000


# Narrower than `float()`, which also takes "nan", "infinity" and "1_000".
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)

#: Elements that are bodies, place them or bring them in. Each has its places in a URDF, and
#: anywhere else it would be lost.
_BODIES = ("link", "joint", "loop_joint", "collision", "include")

#: Extensions that speak of links, joints and collisions of the robot in elements of these names.
_REFERRING = ("gazebo", "transmission", "ros2_control", "sensor")

#: Names longer than this are cut in messages, [characters].
_NAME_LENGTH = 80


@dataclass
class Document:
    """What the nodes of one file share: its name, and notes on what was passed over in it."""

    file: str
    notes: list[str] = field(default_factory=list)


class Node:
    """One element: tag, attributes, children; and its place, for messages.

    Attributes:
        line: line in the file, from 1; 0 where the text is not the file's own (expanded xacro).
        text: the first characters between its tags that are not white space.
    """

    __slots__ = ("attributes", "children", "document", "line", "parent", "tag", "text")

    def __init__(
        self,
        tag: str,
        attributes: dict[str, str],
        parent: Node | None,
        document: Document,
        line: int,
    ) -> None:
        self.tag = tag
        self.attributes = attributes
        self.children: list[Node] = []
        self.parent = parent
        self.document = document
        self.line = line
        self.text = ""

    @property
    def file(self) -> str:
        return self.document.file

    @property
    def where(self) -> str:
        """The path to this element below the root, e.g. ``joint 'elbow' / axis (line 12)``."""
        parts: list[str] = []
        node: Node | None = self
        while node is not None and (node.parent is not None or not parts):
            name = node.attributes.get("name")
            parts.append(
                f"{short(node.tag)} {short(name)!r}" if name is not None else short(node.tag)
            )
            node = node.parent
        path = " / ".join(reversed(parts))
        return f"{path} (line {self.line})" if self.line else path

    @property
    def foreign(self) -> bool:
        """Whether the element belongs to another vocabulary (``drake:…``, ``sensor:…``)."""
        return ":" in self.tag

    @property
    def local(self) -> str:
        """The tag without its prefix, in small letters."""
        return self.tag.rpartition(":")[2].lower()

    def note(self, remark: str) -> None:
        """Record for the reader of the model what was passed over here, or how it was taken."""
        self.document.notes.append(f"{self.where}: {remark}")

    def error(
        self, problem: str, value: object = NOTHING, allowed: str | None = None, part: str = ""
    ) -> RobotError:
        """The error to raise about this element, or about its attribute ``part``."""
        element = f"{self.where} / {part}" if part else self.where
        return RobotError(problem, file=self.file, element=element, value=value, allowed=allowed)

    def relocated(self, error: Error) -> Error:
        """The same error about something this element asked for, placed at this element."""
        problem = f"{error.file}: {error.problem}" if error.file else error.problem
        kind = type(error) if isinstance(error, MeshError) else RobotError
        return kind(
            problem,
            file=self.file,
            element=" / ".join(part for part in (self.where, error.element) if part),
            value=error.value if error.given else NOTHING,
            allowed=error.allowed,
        )

    def all(self, tag: str) -> Iterator[Node]:
        """The children of a tag, in the file's order."""
        return (child for child in self.children if child.tag == tag)

    def within(self) -> Iterator[Node]:
        """This element and all below it, in the file's order."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))

    def optional(self, tag: str) -> Node | None:
        """The only child of a tag; an error where there are several."""
        found = list(self.all(tag))
        if len(found) > 1:
            raise found[1].error(f"a second <{tag}> in one <{self.tag}>", allowed="one")
        return found[0] if found else None

    def only(self, tag: str) -> Node:
        """The only child of a tag; an error where there is none or several."""
        found = self.optional(tag)
        if found is None:
            raise self.error(f"no <{tag}>", allowed=f"exactly one <{tag}> in a <{self.tag}>")
        return found

    def string(self, name: str) -> str:
        """A required attribute that is not blank."""
        value = self.attributes.get(name)
        if value is None:
            raise self.error(f"no attribute {name!r}", allowed=f"<{self.tag} {name}=…>")
        if not value.strip():
            raise self.error("empty", value, "a name or a path", part=name)
        return value

    def name(self) -> str:
        """The attribute ``name``, as the name of a link or a joint has to look."""
        name = self.string("name")
        if not is_name(name):
            raise self.error("not a name", name, f"text without {NAME_RULE}", part="name")
        return name

    def number(self, name: str, default: float | None = None) -> float:
        """An attribute that is one finite number; required where there is no default."""
        if default is not None and name not in self.attributes:
            return default
        return self.numbers(name, 1)[0]

    def numbers(
        self, name: str, count: int, default: tuple[float, ...] | None = None
    ) -> tuple[float, ...]:
        """An attribute that is ``count`` finite numbers; required where there is no default."""
        text = self.attributes.get(name)
        allowed = "one finite number" if count == 1 else f"{count} finite numbers"
        if text is None:
            if default is not None:
                return default
            raise self.error(f"no attribute {name!r}", allowed=f"<{self.tag} {name}=…>, {allowed}")
        words = text.split() if len(text) <= MAX_NUMBER_TEXT else []
        if len(words) != count:
            raise self.error(
                "not a number" if count == 1 else f"not {count} numbers", text, allowed, part=name
            )
        values = tuple(float(word) if _NUMBER.fullmatch(word) else math.nan for word in words)
        if not all(map(math.isfinite, values)):
            problem = "not a finite number" if count == 1 else "not finite numbers"
            raise self.error(problem, text, allowed, part=name)
        return values

    def expect(
        self,
        attributes: Collection[str],
        children: Collection[str] = (),
        passed_over: Collection[str] = (),
    ) -> None:
        """Refuse every attribute and child this element has no place for.

        Attributes and elements with a prefix belong to other vocabularies and are passed over
        with a note, and so is text; the children of ``passed_over`` are known not to matter. None
        of them may hold a body, and none with a prefix may bear a name that is read here.
        """
        for name in self.attributes:
            if name == "xmlns" or name.startswith("xmlns:"):
                continue
            if ":" in name:
                self.note(f"attribute {short(name)!r} passed over")
            elif name not in attributes:
                raise self.error(
                    f"unknown attribute {short(name)!r}",
                    self.attributes[name],
                    ", ".join(attributes) or "no attributes",
                )
        for child in self.children:
            if child.tag.startswith("xacro:"):
                raise unexpanded(child)
            if child.tag in children:
                continue
            child.refuse_bodies()
            if child.foreign and child.local not in children:
                child.note("passed over")
            elif child.tag not in passed_over:
                listed = ", ".join(f"<{tag}>" for tag in children)
                raise child.error(
                    f"unknown element <{short(child.tag)}> in <{self.tag}>",
                    allowed=listed or "none",
                )
        self.note_text()

    def refuse_bodies(self) -> None:
        """Refuse an element that is to be passed over if it is, or holds, what places a body."""
        if self.tag in _REFERRING:
            return
        for node in self.within():
            if node.tag.startswith("xacro:"):
                raise unexpanded(node)
            if node.local not in _BODIES:
                continue
            if node.local == "loop_joint":
                raise node.error("closed chains are not supported", allowed="a tree of joints")
            if node.local == "include":
                raise node.error(
                    "other files are not read in",
                    allowed="one file, or <xacro:include> in a file named *.xacro",
                )
            problem = f"unknown element <{short(node.tag)}>"
            if node is not self:
                problem = f"<{short(node.tag)}> inside <{short(self.tag)}> would be lost"
            raise node.error(
                problem, allowed="<link> and <joint> in <robot>, <collision> in <link>"
            )

    def note_text(self) -> None:
        """Text says nothing in these formats, so it can neither hide a body nor free a pair; but
        somebody meant something by it."""
        if self.text:
            self.note(f"stray text {self.text!r} passed over")


def short(name: str) -> str:
    """A name cut to what a message can show; a file may give one of megabytes."""
    return name if len(name) <= _NAME_LENGTH else name[: _NAME_LENGTH - 1] + "…"


def unexpanded(node: Node) -> RobotError:
    """The error about a macro in a file that is not read as xacro."""
    return node.error(
        "a xacro macro in a file that is not xacro",
        f"<{short(node.tag)}>",
        f"plain URDF; a file with macros is named *.xacro ({Path(node.file).name!r} is not)",
    )
