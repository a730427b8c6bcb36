"""The graph over HTTP: a SPARQL endpoint, a page for every thing, and a start page.

    __init__    the server process: socket, signals, start and end
    connection  limits on what one client may do
    app         routes and headers
    access      the access log
    caching     entity tags, and answers kept as long as they hold
    protocol    /sparql
    description what the endpoint and the dataset say of themselves
    problem     errors
    pages       HTML
    negotiate   Accept and ?format=
    pool        which worker gets which query, and for how long
    link        a worker process as seen by the server
    worker      a worker process itself
    limit       the first rows of a long result
    search      /search
    editor      /query
    examples    the named queries as forms
    drawing     the neighbourhood of a thing as SVG

Nothing heavy is imported here, because every worker process imports this package.
"""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kg.errors import UsageError
from kg.rdf.vocabulary import DEFAULT_BASE

if TYPE_CHECKING:
    import asyncio

_DRAIN = 8.0  # seconds that running queries have when the server is told to end


@dataclass(frozen=True, slots=True)
class Settings:
    """How a graph is served."""

    graph: Path
    host: str = "127.0.0.1"
    port: int = 8000  # 0: any free one
    timeout: float = 30.0  # seconds a query may run, sending included
    workers: int = 2
    waiting: int = 100  # queries that may wait for a worker
    most: int | None = None  # rows or triples of one result
    access_log: str | None = None  # a file, or "-" for standard error
    base: str = DEFAULT_BASE  # IRIs that begin so are served at the server's own paths


def serve(settings: Settings, ready: Callable[[str], None]) -> None:
    """Serve until SIGINT or SIGTERM; call `ready` with the address once there is one.

    Raises UsageError where the address cannot be had, GraphError where there is no graph.
    """
    import asyncio

    # Ctrl-C comes as an exception only while the workers start.
    with (
        _listening(settings.host, settings.port) as listener,
        suppress(KeyboardInterrupt),
        asyncio.Runner(loop_factory=_event_loop()) as runner,
    ):
        runner.run(_serve(settings, listener, ready))


def _event_loop() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """uvloop's; Python's own (None) on Windows, where there is no uvloop."""
    try:
        from uvloop import new_event_loop
    except ImportError:
        return None
    return new_event_loop


async def _serve(settings: Settings, listener: socket.socket, ready: Callable[[str], None]) -> None:
    import asyncio
    import signal

    import uvicorn

    from kg.serve.access import access_log
    from kg.serve.app import application
    from kg.serve.connection import Connection
    from kg.serve.pool import Pool

    log = access_log(settings.access_log) if settings.access_log else None
    _open_many()
    pool = Pool(settings.graph, settings.workers, settings.timeout, settings.waiting, settings.most)
    logging.getLogger("uvicorn.error").addFilter(_news)

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            ready(_address(listener))  # from here on it also ends well

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            ending = asyncio.create_task(_end_later(pool))
            await super().shutdown(sockets)
            ending.cancel()

    config = uvicorn.Config(
        application(pool, settings.base, log),
        http=Connection,
        ws="none",
        log_config=None,
        access_log=False,
        lifespan="off",
        server_header=False,
        timeout_graceful_shutdown=int(_DRAIN) + 1,
    )
    try:
        await pool.start()
        # uvicorn ends well on these signals and then raises them once more.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: None)
        await Server(config).serve(sockets=[listener])
    finally:
        await pool.close()


def _news(record: logging.LogRecord) -> bool:
    """Whether a line of uvicorn's log is news, and not what a strange client has sent.

    It also has one for every result that is broken off, which is meant so and said by us.
    """
    return not any(known in record.msg for known in _KNOWN)


_KNOWN = (
    "without completing response",
    "Invalid HTTP request",
    "Unsupported upgrade request",
    "No supported WebSocket library",
)


def _open_many() -> None:
    """Have as many connections as this machine lets us."""
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


async def _end_later(pool: object) -> None:
    import asyncio

    from kg.serve.pool import Pool

    assert isinstance(pool, Pool)
    await asyncio.sleep(_DRAIN)
    await pool.close()


def _listening(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        # With the protocol named, asyncio turns off Nagle's algorithm, which would hold
        # back every small answer for 40 ms.
        listener = socket.socket(family, kind, protocol)
    except (OSError, UnicodeError) as error:
        raise UsageError(f"{host} is not an address of this machine: {error}") from error
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(place)
        listener.listen(1024)
    except OSError as error:
        listener.close()
        raise UsageError(
            f"{host} port {port} cannot be used: {error.strerror}; choose another with --port"
        ) from error
    return listener


def _address(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"
