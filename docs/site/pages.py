"""Pages of the site whose source is not in docs/: README, examples, docstrings. A hook of mkdocs.

Nothing is written twice. The home page is README.md, an example's page is its file, and the pages
of the Python reference come from the public names in the files ``__init__.py``. Links are
written as a code host follows them, from file to file; here they are turned into those of the site.
"""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from standoff.public import names

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("[0-9]*.py"))

#: Files at the root that are pages, and their names there.
COPIED = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
}

#: Rooms that are names of the package: ``so.paths``.
OPEN = {
    name
    for name, module in names(ROOT / "src" / "standoff" / "__init__.py").items()
    if module == "standoff"
}

#: Rooms in the order in which one meets them: what their page is called, and what stands first on
#: it; the rest follows in the order of the table of names.
ROOMS = {
    "geometry": ("Shapes and distances", ("distance", "DistanceResult", "pose")),
    "robots": ("Robots", ()),
    "cell": ("Cells", ("Cell", "Clearance", "Body", "AllowedPair")),
    "broadphase": ("Broad phase", ("Octree",)),
    "monitor": ("Monitor", ("Monitor", "Cycle", "PairWarning", "Fault", "Thresholds")),
    "streams": ("Streams", ()),
    "motion": ("Motions of joints", ()),
    "paths": ("Path checker", ("PathChecker", "Verdict")),
    "plan": ("Planner", ("Planner", "Plan", "smooth", "Smoothed")),
    "predict": ("Predictor", ("Predictor", "Prediction", "BodyFault")),
    "interference": ("Interference", ("find", "compare", "Overlap", "Gap", "Comparison")),
    "contact": ("Contact", ("Scene", "ContactStep", "Contact", "Body")),
    "view": ("Live page", ()),
    "errors": ("Errors", ("Error",)),
}

_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^)\s]+)\)")
_FENCE = re.compile(r"^(?:```.*?^```|~~~.*?^~~~)$", re.S | re.M)


def example_page(path: Path) -> str:
    """The docstring as text, the rest as code."""
    source = path.read_text()
    tree = ast.parse(source)
    said = (ast.get_docstring(tree) or "").strip()
    title, _, text = said.partition("\n")
    first = tree.body[0]
    assert first.end_lineno is not None
    code = "\n".join(source.splitlines()[first.end_lineno :]).strip()
    return f'# {title}\n\n{text.strip()}\n\n```python title="{path.name}"\n{code}\n```\n'


def public_names(room: str) -> dict[str, str]:
    """The public names of ``standoff.room``, or of ``standoff`` for an empty one, and the module
    that each comes from."""
    package = ROOT.joinpath("src", "standoff", *filter(None, [room]))
    if room == "errors":
        tree = ast.parse(package.with_suffix(".py").read_text())
        made = (node.name for node in tree.body if isinstance(node, ast.ClassDef))
        return {name: "standoff.errors" for name in made if name != "Error"}
    found = names(package / "__init__.py") if (package / "__init__.py").exists() else {}
    return {name: module for name, module in found.items() if module != "standoff"}


def api_pages() -> Iterator[tuple[str, str]]:
    """A page a room, made of the docstrings of its public names: what is in ``standoff`` itself,
    then what is in the room."""
    top = public_names("")
    missing = {module.split(".")[1] for module in top.values()} - ROOMS.keys()
    assert not missing, f"no title for the rooms {missing}"
    for room, (title, first) in ROOMS.items():
        shown = {n: m for n, m in top.items() if m.split(".")[1] == room}
        lines = [f"# {title}"]
        for where, found in (("standoff", shown), (f"standoff.{room}", _below(room))):
            if found:
                place = {name: k for k, name in enumerate(first)}
                ordered = sorted(found, key=lambda name: place.get(name, len(place)))
                lines += [f"From `{where}`:", *(f"::: {found[name]}.{name}" for name in ordered)]
        if len(lines) > 1:
            yield f"api/{room}.md", "\n\n".join(lines) + "\n"


def _below(room: str) -> dict[str, str]:
    """The names of a room that is itself a name of the package."""
    return public_names(room) if room in OPEN else {}


def in_the_site(source: str, target: str) -> str | None:
    """The page that a link from a file to another leads to, relative to the first one's page; None
    where the site has none. Both are paths from the root of the project."""
    if target in COPIED:
        found = COPIED[target]
    elif target.startswith("examples/") and target.endswith(".py"):
        found = f"examples/{Path(target).stem}.md"
    elif target.startswith("docs/") and not target.endswith(".py"):
        found = target.removeprefix("docs/")
    else:
        return None
    here = COPIED.get(source, source.removeprefix("docs/"))
    return posixpath.relpath(found, posixpath.dirname(here) or ".")


def translated(text: str, source: str) -> str:
    """The links of a file, as links between pages. What the site does not have keeps its words."""

    def link(match: re.Match[str]) -> str:
        mark, words, to = match.groups()
        if re.match(r"[a-z]+:|#", to):
            return match[0]
        to, hash_, part = to.partition("#")
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), to))
        page = in_the_site(source, target)
        return words if page is None else f"{mark}[{words}]({page}{hash_}{part})"

    parts, last = [], 0
    for fence in _FENCE.finditer(text):
        parts += [_LINK.sub(link, text[last : fence.start()]), fence[0]]
        last = fence.end()
    return "".join([*parts, _LINK.sub(link, text[last:])])


def on_config(config: Any) -> Any:
    """Put the generated pages in their places of the table of contents."""
    nav = [(name, page) for entry in config.nav for name, page in entry.items()]
    config.nav = [{name: _expanded(page)} for name, page in nav]
    return config


def _expanded(page: Any) -> Any:
    if page == "examples/":
        return [{_title(p): f"examples/{p.stem}.md"} for p in EXAMPLES]
    if page == "api/":
        made = dict(api_pages())
        pages = {f"api/{room}.md": title for room, (title, _) in ROOMS.items()}
        return [{title: page} for page, title in pages.items() if page in made]
    if isinstance(page, list):
        return [{n: _expanded(p)} for entry in page for n, p in entry.items()]
    return page


def _title(path: Path) -> str:
    said = ast.get_docstring(ast.parse(path.read_text())) or path.stem
    return f"{path.stem[:2]} {said.splitlines()[0]}"


def on_files(files: Any, config: Any) -> Any:
    """Add the pages that are made here."""
    from mkdocs.structure.files import File

    pages = {f"examples/{path.stem}.md": example_page(path) for path in EXAMPLES}
    pages |= dict(api_pages())
    pages |= {page: (ROOT / source).read_text() for source, page in COPIED.items()}
    for name, text in pages.items():
        files.append(File.generated(config, name, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Turn links between files into links between pages."""
    here = page.file.src_uri
    if here.startswith("api/"):
        return markdown
    copied = {name: source for source, name in COPIED.items()}
    if here.startswith("examples/"):
        return translated(markdown, here.removesuffix(".md") + ".py")
    return translated(markdown, copied.get(here, f"docs/{here}"))


_OUTSIDE = re.compile(
    r"<(?:script|link|img|iframe|source)\b[^>]*?(?:src|href)=[\"']?(?:https?:)?//[^>]*>"
)


def on_post_build(config: Any) -> None:
    """A page that would load something from elsewhere is an error."""
    from mkdocs.exceptions import PluginError

    for path in sorted(Path(config.site_dir).rglob("*.html")):
        for tag in _OUTSIDE.findall(path.read_text()):
            if 'rel="canonical"' not in tag:
                raise PluginError(f"{path.name} loads something from elsewhere: {tag}")
