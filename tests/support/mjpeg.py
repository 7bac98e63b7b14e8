"""An HTTP MJPEG camera on loopback, as telephones make one, that can be stalled, killed and started again."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import cv2
import numpy as np
from numpy.typing import NDArray

Frame = NDArray[np.uint8]


class Phone:
    """Serves `show`'s picture at `rate` frames a second, each with a little noise, for a real sensor never repeats."""

    def __init__(self, picture: Frame, rate: float = 20, noise: float = 2.0) -> None:
        self.rate, self.noise, self.stalled, self.frozen = rate, noise, False, False
        self._picture, self._rng = picture, np.random.default_rng(1)
        self._server: ThreadingHTTPServer | None = None
        self._sockets: list[socket.socket] = []
        self.port = 0
        self.served = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/video"

    def show(self, picture: Frame) -> None:
        self._picture = picture

    def jpeg(self) -> bytes:
        grain = self._rng.normal(0, self.noise, self._picture.shape[:2])[..., None]
        noisy = np.clip(self._picture + (0 if self.frozen else grain), 0, 255).astype(np.uint8)
        return cv2.imencode(".jpg", noisy, [cv2.IMWRITE_JPEG_QUALITY, 92])[1].tobytes()

    def start(self) -> Phone:
        phone = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                phone._sockets.append(self.connection)
                with suppress(OSError):
                    phone._send(self)

            def log_message(self, *args: object) -> None:
                """Nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        self._server.daemon_threads = True
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return self

    def _send(self, handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
        handler.end_headers()
        while self._server is not None:
            if not self.stalled:
                data = self.jpeg()
                head = f"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: {len(data)}\r\n\r\n"
                handler.wfile.write(head.encode() + data + b"\r\n")
                self.served += 1
            time.sleep(1 / self.rate)

    def stop(self) -> None:
        server, self._server = self._server, None
        if server is not None:
            server.shutdown()
            server.server_close()
        for connection in self._sockets:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        self._sockets.clear()


@contextmanager
def phone(picture: Frame, rate: float = 20) -> Iterator[Phone]:
    made = Phone(picture, rate).start()
    try:
        yield made
    finally:
        made.stop()
