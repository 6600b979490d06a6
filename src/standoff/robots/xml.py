"""XML in: bytes to nodes, with every door shut that XML opens.

No document type, so no entities and nothing fetched; bounded size, depth and count.
"""

from __future__ import annotations

from pathlib import Path
from xml.parsers import expat

from standoff.errors import NOTHING, RobotError
from standoff.geometry.regular_file import read_regular
from standoff.robots.node import Document, Node

#: Largest URDF, SRDF or xacro file that is read, [bytes]. The largest robots in use are below
#: 1 MiB; beyond this it is not a robot, and reading on would only fill the memory.
MAX_XML_BYTES = 64 * 2**20

#: Deepest nesting of XML elements that is read, [-]. URDF needs 5, simulator extensions some 15.
MAX_XML_DEPTH = 100

#: Most XML elements that are read from one file, [-]; large humanoids have some 10,000.
MAX_XML_ELEMENTS = 1_000_000


#: As much stray text as a message can show, [characters].
_TEXT_LENGTH = 80


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
