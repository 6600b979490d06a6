"""The server of a page: on loopback, with no door to the outside, and dressed."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import rich

from standoff.errors import Error
from standoff.scalars import whole
from standoff.view.live.doorkeeper import guarded
from standoff.view.live.needed import need_viser
from standoff.view.live.palette import BRAND

if TYPE_CHECKING:
    import viser


#: Who may look unless told otherwise: this machine.
LOOPBACK = "127.0.0.1"
USUAL_PORT = 8080

#: Ports that are tried beyond the one asked for, where that is taken.
_MORE_PORTS = 50


def open_server(title: str, host: str = LOOPBACK, port: int = USUAL_PORT) -> viser.ViserServer:
    """Serve an empty page; `address` says where. Where the port is taken, the next free one is
    used; 0 takes any.

    Raises:
        Error: viser is missing; a host or port that cannot be listened on.
    """
    need_viser()
    check_place(host, port)
    port = _free_port(host, port)
    import viser

    class Server(viser.ViserServer):
        """One that shares nothing: viser offers pages a tunnel to a server of its own."""

        def request_share_url(self, verbose: bool = True) -> str | None:
            return None

    with _quiet(), guarded(host) as is_guarded:
        server = Server(host=host, port=port, label=title, verbose=False)
    if not is_guarded():
        close(server)
        raise Error("this version of viser cannot be guarded against foreign web pages")
    server.gui.configure_theme(
        control_width="large", show_logo=False, show_share_button=False, brand_color=BRAND
    )
    return server


def check_place(host: object, port: object) -> None:
    """Raises:
    Error: no host or port at all.
    """
    if not isinstance(host, str) or not host:
        raise Error("not a host", element="host", value=host, allowed="an address of this machine")
    whole("port", port, Error, 0, 65535)


def address(server: viser.ViserServer) -> str:
    """Where a browser finds the page."""
    host = server.get_host()
    shown = {"0.0.0.0": "localhost", "::": "localhost"}.get(host, host)
    if ":" in shown:
        shown = f"[{shown}]"
    return f"http://{shown}:{server.get_port()}"


def close(server: viser.ViserServer) -> None:
    """Stop serving."""
    with _quiet():
        server.stop()


def _free_port(host: str, port: int) -> int:
    """The first port from ``port`` on that can be listened on."""
    last: OSError | None = None
    tried = [port] if port == 0 else range(port, min(port + _MORE_PORTS, 65535) + 1)
    for candidate in tried:
        try:
            family = socket.getaddrinfo(host, candidate, type=socket.SOCK_STREAM)[0][0]
            with socket.socket(family, socket.SOCK_STREAM) as trial:
                trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                trial.bind((host, candidate))
                found: int = trial.getsockname()[1]
                return found
        except (OSError, UnicodeError) as error:
            last = error if isinstance(error, OSError) else OSError(str(error))
            if isinstance(error, (socket.gaierror, UnicodeError)):
                break
    raise Error(
        f"cannot listen there: {last}", element="host and port", value=f"{host}:{port}",
        allowed="an address of this machine and a free port",
    ) from last  # fmt: skip


@contextmanager
def _quiet() -> Iterator[None]:
    """Within this context rich prints nothing: viser announces itself in a frame of its own."""
    console = rich.get_console()
    before, console.quiet = console.quiet, True
    try:
        yield
    finally:
        console.quiet = before
