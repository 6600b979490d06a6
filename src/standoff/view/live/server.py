"""The server of a page: on loopback, with no door to the outside, and dressed.

Any web page that is open in a browser can ask that browser to open a web socket to this machine.
The browser says where the asking page is from (Origin) and whom it believes to talk to (Host). The
first must be the second, and the second a name of this machine: otherwise a foreign name that
points here (DNS rebinding) would be its own origin. What is no browser may leave Origin out.
"""

from __future__ import annotations

import ipaddress
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http import HTTPStatus
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import rich

from standoff.errors import Error, MissingPackageError
from standoff.scalars import whole
from standoff.view.live.style import BRAND

if TYPE_CHECKING:
    import viser


def need_viser() -> None:
    """Raises:
    MissingPackageError: viser is not installed; says how to install it.
    """
    if find_spec("viser") is None:
        raise MissingPackageError("viser", "standoff[view]", "the live page")


_PORTS = {"http": 80, "https": 443}

#: While a server is made websockets' own way of making one is exchanged: by one at a time.
_MAKING = threading.Lock()


def welcome(hosts: list[str], origins: list[str], here: str, listening: str) -> bool:
    """Whether a request is to be answered.

    Args:
        hosts, origins: all headers of that name, as sent.
        here: the address that the request came to.
        listening: the host that the page was opened for.
    """
    if len(hosts) != 1 or len(origins) > 1:
        return False
    # The port that a host leaves out is that of the scheme.
    scheme = "https" if origins and origins[0].startswith("https:") else "http"
    asked = _place(f"{scheme}://{hosts[0]}")
    if asked is None or not _ours(asked[0], here, listening):
        return False
    return not origins or _place(origins[0]) == asked


def _ours(host: str, here: str, listening: str) -> bool:
    """Whether a host is one of our own: the address that was reached, or a name of this machine.
    Who listens everywhere may stand behind a translation of addresses: there any address will do,
    since only names can be made to point here."""
    machine = socket.gethostname().lower()
    names = {"localhost", listening.lower(), machine, f"{machine}.local"}
    if host in names:
        return True
    address = _address(host)
    if address is None:
        return False
    own, asked = _address(here), _address(listening)
    everywhere = asked is not None and asked.is_unspecified
    return address == own or address.is_loopback or everywhere


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        found = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return None
    inner = getattr(found, "ipv4_mapped", None)
    return found if inner is None else inner


def _place(url: str) -> tuple[str, int] | None:
    """Host, in small letters, and port of an origin; None where it is not one (``null``)."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in _PORTS or not parts.hostname or parts.path not in ("", "/"):
        return None
    if parts.username is not None or parts.query or parts.fragment:
        return None
    return parts.hostname.lower().rstrip("."), _PORTS[parts.scheme] if port is None else port


@contextmanager
def guarded(listening: str) -> Iterator[Callable[[], bool]]:
    """The viser server that is made within this context answers only who is `welcome`. viser
    hands nothing through to the server of websockets that it makes, so this is put before it
    there; what is given says whether it was."""
    from websockets.asyncio import server as module

    made: list[bool] = []
    replaceable: Any = module
    usual = replaceable.serve

    def serve(handler: Any, *args: Any, **options: Any) -> Any:
        if str(getattr(handler, "__module__", "")).partition(".")[0] == "viser":
            options["process_request"] = _before(options.get("process_request"), listening)
            made.append(True)
        return usual(handler, *args, **options)

    with _MAKING:
        replaceable.serve = serve
        try:
            yield lambda: bool(made)
        finally:
            replaceable.serve = usual


def _before(answer: Callable[[Any, Any], Any] | None, listening: str) -> Callable[[Any, Any], Any]:
    def process_request(connection: Any, request: Any) -> Any:
        headers, here = request.headers, connection.local_address
        hosts, origins = headers.get_all("Host"), headers.get_all("Origin")
        if not welcome(hosts, origins, str(here[0]) if here else "", listening):
            return connection.respond(HTTPStatus.FORBIDDEN, "this page is for its own browser\n")
        return None if answer is None else answer(connection, request)

    return process_request


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
