"""The page of the command line, from the command itself. A hook of mkdocs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

PAGE = "command-line.md"

_HEAD = """# The command line

Each command's own `--help` says the same. Exit status: 0 where all is well, 1 where the answer is
no (not free, overlap, refused, no path), 2 for bad input, which gets one line of explanation, 70
for an error in Standoff itself. Where a command has more to tell, its help says so.
"""


def plain(text: str | None) -> str:
    """Help as Markdown: what is bold on a terminal is code here, and brackets need no escape."""
    bare = re.sub(r"\[bold\](.*?)\[/bold\]", r"`\1`", " ".join((text or "").split()))
    return bare.replace(r"\[", "[").replace("|", r"\|")


def command_page() -> str:
    """All commands with their arguments and options, in the order of the help."""
    from typer.main import get_command

    from standoff.cli import app

    group: Any = get_command(app)
    parts = [_HEAD]
    for name, command in group.commands.items():
        arguments = [p for p in command.params if p.param_type_name == "argument"]
        usage = " ".join(p.metavar if p.required else f"[{p.metavar}]" for p in arguments)
        parts.append(f"## standoff {name}\n\n`standoff {name} {usage}`".replace(" `", "`"))
        parts += [plain(command.help), plain(command.epilog)]
        parts.append("| | |\n|---|---|\n" + "\n".join(_rows(command.params)))
    return "\n\n".join(part for part in parts if part) + "\n"


def _rows(parameters: list[Any]) -> Iterator[str]:
    for parameter in parameters:
        if parameter.param_type_name == "argument":
            words = parameter.metavar
        else:
            metavar = "" if parameter.is_flag else f" {parameter.metavar or 'VALUE'}"
            words = ", ".join((*parameter.opts, *parameter.secondary_opts)) + metavar
        said = plain(parameter.help)
        default = parameter.default
        if (
            default not in (None, False, True, ())
            and not callable(default)
            and not parameter.required
        ):
            said += f" By default {default}."
        yield f"| `{words}` | {said} |"


def on_files(files: Any, config: Any) -> Any:
    """Add the page."""
    from mkdocs.structure.files import File

    files.append(File.generated(config, PAGE, content=command_page()))
    return files
