"""The socket and the server under the application: bound by ourselves, and quick to stop with streams open."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import gc
import logging
import signal
import socket
import struct
import sys
import threading
from collections.abc import Iterator

import uvicorn
from fastapi import FastAPI
from starlette.requests import ClientDisconnect

from dicetower.api.streams import Streams
from dicetower.errors import Unavailable

SEND_BUFFER = 64 * 1024
"""Bytes of SO_SNDBUF. Left to itself the kernel keeps some 4 MB for a page that does not read (measured): old news."""

USER_TIMEOUT_MS = 5000
"""TCP_USER_TIMEOUT: a peer that acknowledges nothing for so long is gone. uvicorn itself has no send timeout."""

LINGER_NONE = struct.pack("hh" if sys.platform == "win32" else "ii", 1, 0)
"""`struct linger`, on and of no time: what is left unsent is dropped, and the peer is told at once."""

STOP_WITHIN_S = 2
"""After this an answer that has not ended is cut off, so that Ctrl-C is not a matter of patience."""


def bound(host: str, port: int) -> socket.socket:
    """Return a socket listening for `host` and `port` (0: any free one); Unavailable says why it cannot be had."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
    except OSError as error:
        raise Unavailable(f"{host} is no address of this machine: {error.strerror}. Give one with --host.") from error
    try:
        _prepare(listener)
        listener.bind(address)
        listener.listen(512)
    except OSError as error:
        listener.close()
        raise Unavailable(_not_had(host, port, error)) from error
    return listener


def _not_had(host: str, port: int, error: OSError) -> str:
    """Why `bind` or `listen` refused, and what to do; the kernel's own words where it is none of the usual."""
    if error.errno == errno.EADDRINUSE:
        return (
            f"Port {port} of {host} is taken: is dicetower running already? End what runs there, or choose another "
            "port with --port."
        )
    if error.errno == errno.EADDRNOTAVAIL:
        return (
            f"{host} is no address of this machine: name one of its own with --host; 127.0.0.1 is this machine alone, "
            "0.0.0.0 every network it is in."
        )
    if error.errno in (errno.EACCES, errno.EPERM):
        return f"This user may not listen on port {port} of {host}: choose a port from 1024 up with --port."
    return f"Port {port} of {host} cannot be had: {error.strerror}. Choose another with --host and --port."


def _prepare(listener: socket.socket) -> None:
    """Set what accepted connections inherit."""
    if sys.platform != "win32":  # there SO_REUSEADDR would let a second server steal the port
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, USER_TIMEOUT_MS)


class Server(uvicorn.Server):
    """uvicorn, which ends the streams first and stops cleanly on SIGTERM as on Ctrl-C."""

    def __init__(self, app: FastAPI) -> None:
        config = uvicorn.Config(
            app,
            loop="asyncio",
            http="h11",
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            timeout_graceful_shutdown=STOP_WITHIN_S,
        )
        super().__init__(config)
        logging.getLogger("uvicorn.error").addFilter(_worth_a_line)
        self._streams: Streams = app.state.streams

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End every stream, for they would never end by themselves; then as uvicorn does; then cut off who is left."""
        self._streams.close()
        await super().shutdown(sockets)
        for connection in list(self.server_state.connections):
            _cut_off(connection.transport)
        await asyncio.sleep(0)  # the transports close in the loop's next round

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop on SIGINT and SIGTERM, and no more: uvicorn would send itself the signal again, over our own closing.

        Signals come to the main thread alone; elsewhere whoever started the thread sets `should_exit`.
        """
        main = threading.current_thread() is threading.main_thread()
        signals = (signal.SIGINT, signal.SIGTERM) if main else ()
        before = {number: signal.signal(number, self.handle_exit) for number in signals}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _cut_off(transport: asyncio.Transport) -> None:
    """Close with a reset: a page that does not read would not notice an end that waits behind what it has not read."""
    opened = transport.get_extra_info("socket")
    opened.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, LINGER_NONE)
    transport.abort()


def serve(app: FastAPI, listener: socket.socket) -> None:
    """Serve until a signal comes."""
    settle()
    Server(app).run(sockets=[listener])


def settle() -> None:
    """Keep what stands at the start out of every later garbage collection.

    It stays to the end anyway, and walking it all stops every thread: 60 to 120 ms, measured by `benchmarks.edice`.
    """
    gc.collect()
    gc.freeze()


def _worth_a_line(record: logging.LogRecord) -> bool:
    """Whether the log needs a record: a page that went away, or that was cut off at the end, is no fault of ours."""
    error = record.exc_info[1] if record.exc_info else None
    return not (_is_departure(error) or str(record.msg).startswith("Cancel %s running task"))


def _is_departure(error: BaseException | None) -> bool:
    if isinstance(error, BaseExceptionGroup):
        return all(_is_departure(part) for part in error.exceptions)
    return isinstance(error, asyncio.CancelledError | ClientDisconnect | ConnectionError)
