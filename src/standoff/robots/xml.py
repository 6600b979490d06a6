"""XML in: bytes to elements that know where they stand, with every door shut that XML opens.

No document type, so no entities and nothing fetched; bounded size, depth and count. The accessors
of an element drop nothing in silence. Files with macros are expanded by the optional package
``xacro``.
"""

from __future__ import annotations

import contextlib
import io
import math
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from standoff.errors import NOTHING, Error, MeshError, MissingPackageError, RobotError
from standoff.geometry.regular_file import read_regular
from standoff.names import NAME_RULE, is_name

#: Largest URDF, SRDF or xacro file that is read, [bytes]. The largest robots in use are below
#: 1 MiB; beyond this it is not a robot, and reading on would only fill the memory.
MAX_XML_BYTES = 64 * 2**20

#: Deepest nesting of XML elements that is read, [-]. URDF needs 5, simulator extensions some 15.
MAX_XML_DEPTH = 100

#: Most XML elements that are read from one file, [-]; large humanoids have some 10,000.
MAX_XML_ELEMENTS = 1_000_000


#: As much stray text as a message can show, [characters].
_TEXT_LENGTH = 80

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


def read_bytes(path: str | Path) -> bytes:
    """The content of a regular file of at most ``MAX_XML_BYTES``; any failure is a RobotError."""
    return read_regular(path, MAX_XML_BYTES, "a robot's XML file", RobotError)


def parse(data: bytes, file: str = "", *, lines: bool = True) -> Node:
    """The root element of an XML document.

    Args:
        data: the document, in any encoding that it declares and expat knows.
        file: named in messages.
        lines: whether the lines of ``data`` are those of ``file``.
    """
    if not data.strip():
        raise RobotError("empty file", file=file, allowed="XML with one <robot>")
    parser = expat.ParserCreate()
    builder = _Builder(parser, file, lines)
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise RobotError(
            f"not well-formed XML: {expat.ErrorString(error.code)}",
            file=file,
            element=f"line {error.lineno}, column {error.offset + 1}" if lines else None,
            value=_snippet(data, parser.ErrorByteIndex) or NOTHING,
        ) from error
    except (LookupError, ValueError, TypeError) as error:
        # What Python's codecs raise for an encoding that is declared but unknown or unfit.
        raise RobotError(
            f"cannot be decoded: {error}", file=file, allowed="UTF-8, or a declared 8-bit encoding"
        ) from error
    assert builder.root is not None  # expat refuses a document without an element
    return builder.root


class _Builder:
    """Collects expat's events into nodes and refuses what is not wanted."""

    def __init__(self, parser: expat.XMLParserType, file: str, lines: bool) -> None:
        self.parser = parser
        self.document = Document(file)
        self.lines = lines
        self.root: Node | None = None
        self.open: list[Node] = []
        self.count = 0
        parser.buffer_text = True
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.end
        parser.CharacterDataHandler = self.characters
        parser.StartDoctypeDeclHandler = self.refuse_doctype
        parser.EntityDeclHandler = self.refuse_doctype

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        parent = self.open[-1] if self.open else None
        line = self.parser.CurrentLineNumber if self.lines else 0
        node = Node(tag, attributes, parent, self.document, line)
        self.count += 1
        if self.count > MAX_XML_ELEMENTS:
            raise node.error("too many elements", allowed=f"at most {MAX_XML_ELEMENTS}")
        if len(self.open) >= MAX_XML_DEPTH:
            raise RobotError(
                "elements nested too deeply",
                file=self.document.file,
                element=f"<{tag}>, line {line}" if line else f"<{tag}>",
                allowed=f"at most {MAX_XML_DEPTH} levels",
            )
        if parent is None:
            self.root = node
        else:
            parent.children.append(node)
        self.open.append(node)

    def end(self, _tag: str) -> None:
        self.open.pop()

    def characters(self, text: str) -> None:
        node = self.open[-1]
        if not node.text:
            node.text = text.strip()[:_TEXT_LENGTH]

    def refuse_doctype(self, name: str, *_: object) -> None:
        raise RobotError(
            "a document type or entity declaration",
            file=self.document.file,
            element=f"line {self.parser.CurrentLineNumber}" if self.lines else None,
            value=name,
            allowed="none: entities are not expanded",
        )


def _snippet(data: bytes, position: int) -> str:
    """The bytes about an error, as far as they are text."""
    return data[max(0, position - 20) : position + 20].decode("utf-8", "replace")


def expand(path: Path) -> bytes:
    """The URDF text that a xacro file expands to.

    Xacro evaluates Python expressions that stand in the file, and reads the files it includes:
    only files whose name ends in ``.xacro`` come here, and only such files as one would run.
    The refusal of entities holds for the file itself and for the result, not for included files.

    Raises:
        MissingPackageError: the package ``xacro`` is not installed.
        RobotError: it could not expand the file.
    """
    parse(read_bytes(path), str(path))
    try:
        import xacro
    except ImportError as error:
        raise MissingPackageError("xacro", "xacro", "files with macros", file=path) from error
    messages = io.StringIO()
    try:
        with contextlib.redirect_stderr(messages):
            document = xacro.process_file(str(path))
        return bytes(document.toxml(encoding="utf-8"))
    except (Exception, SystemExit) as error:
        # Whatever an expression in the file raises comes through here, of any type.
        said = " ".join((str(error) or type(error).__name__, messages.getvalue())).strip()
        raise RobotError(f"xacro cannot expand this file: {said}", file=path) from error


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
