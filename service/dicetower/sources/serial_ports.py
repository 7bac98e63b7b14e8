"""Serial ports: which there are, and opening one by any of pyserial's URLs, with sentences where that fails."""

from __future__ import annotations

import errno
import glob
import os
import re
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

import serial
from serial.tools import list_ports

from dicetower.errors import DeviceError

BAUD = 115200  # docs/wire.md
READ_TIMEOUT_S = 0.1  # how long a reader's thread may take to notice that it is to stop
WRITE_TIMEOUT_S = 1.0  # a line takes 11 ms; a port that takes none for a second is gone

AUTO = "auto"
"""Stands for every USB serial adapter of the kinds that Arduino boards carry."""

EXPECTED = "expected a device such as /dev/ttyUSB0, or a URL such as socket://raspberry:3333"
NETWORK = ("socket", "rfc2217")
"""pyserial's kinds of URL that name a host."""

USB_VENDORS = {0x2341, 0x2A03, 0x1A86, 0x0403, 0x10C4}  # Arduino, Arduino.org, WCH (CH340), FTDI, Silicon Labs


class Port(Protocol):
    """What is used of a pyserial object."""

    in_waiting: int

    def read(self, size: int = 1) -> bytes:
        """Up to `size` bytes, fewer at the timeout."""

    def write(self, data: bytes) -> int | None:
        """Send."""

    def close(self) -> None:
        """Free the port."""


def found(wanted: Iterable[str]) -> list[str]:
    """The URLs that `wanted` comes to now: `auto`, paths, patterns such as `/dev/serial/by-id/*`, or any URL."""
    urls: list[str] = []
    for name in wanted:
        urls += _usb_ports() if name == AUTO else _matching(name)
    return list(dict.fromkeys(urls))


def absent(wanted: Iterable[str]) -> list[str]:
    """Those of `wanted` that are paths or patterns of paths, and nothing is there now."""
    return [name for name in wanted if name.startswith("/") and not any(Path(url).exists() for url in found([name]))]


def impossible(name: str) -> str:
    """Why no serial port can ever go by that name, in a sentence; empty where one may. Nothing is opened."""
    if "://" in name:
        return _wrong_url(name)
    if os.path.isdir(name):  # noqa: PTH112 - Path.is_dir raises where a name cannot be one at all
        return f"{name} is a folder and no serial port; {EXPECTED}."
    if os.path.isfile(name):  # noqa: PTH113
        return f"{name} is a file and no serial port; {EXPECTED}."
    return ""


def _wrong_url(url: str) -> str:
    scheme = url.partition("://")[0].lower()
    if not scheme.isalnum() or find_spec(f"serial.urlhandler.protocol_{scheme}") is None:
        return f"{url}: there is no kind of port {scheme!r:.40}; {EXPECTED}."
    if scheme not in NETWORK:
        return ""
    try:
        parts = urlsplit(url)
        right = bool(parts.hostname) and parts.port is not None
    except ValueError:  # brackets that do not close, a port that is no number or over 65535
        right = False
    return "" if right else f"{url}: expected a host and a port of 0 to 65535, such as {scheme}://raspberry:3333."


def _usb_ports() -> list[str]:
    return sorted(port.device for port in list_ports.comports() if port.vid in USB_VENDORS)


def _matching(name: str) -> list[str]:
    return sorted(glob.glob(name)) if "*" in name else [name]  # noqa: PTH207 - Path.glob takes no absolute pattern


def opened(url: str) -> Port:
    """Open `url`; DeviceError says what is wrong and what to do."""
    try:
        port: Any = serial.serial_for_url(url, BAUD, timeout=READ_TIMEOUT_S, **_options(url))
    except (OSError, ValueError) as error:
        raise DeviceError(_why(url, error)) from error
    made: Port = port
    return made


def _options(url: str) -> dict[str, Any]:
    """What else that kind of port can be told: pyserial's rfc2217 refuses a write timeout, its URLs have no owner."""
    timeout = {} if url.startswith("rfc2217://") else {"write_timeout": WRITE_TIMEOUT_S}
    return timeout if "://" in url else {**timeout, "exclusive": True}


def _why(url: str, error: Exception) -> str:
    number = _number(error)
    if number == errno.EACCES:
        return _no_permission(url)
    if wrong := impossible(url):
        return wrong
    if number == errno.ENOENT:
        return f"{url}: there is no such port; is the die plugged in?"
    if number in (errno.EBUSY, errno.EAGAIN) or "exclusively lock" in str(error):
        return f"{url}: another program has this port open; close it."
    if number == errno.ENOTTY:
        return f"{url}: this is no serial port; {EXPECTED}."
    return f"{url}: the port does not open: {error if number is None else os.strerror(number).lower()}."


def _number(error: Exception) -> int | None:
    """The system's error number: pyserial leaves it in its text where it does not hand it on."""
    number = getattr(error, "errno", None)
    found = re.search(r"\[Errno (\d+)\]|\((\d+), '", str(error))
    return number if isinstance(number, int) or found is None else int(found[1] or found[2])


def _no_permission(path: str) -> str:
    group = _group(path)
    return (
        f"{path}: this user may not open it; it belongs to the group {group}. "
        f"Run: sudo usermod -aG {group} $USER, then log out and in again."
    )


def _group(path: str) -> str:
    """The device's real group; its number where it has no name."""
    try:
        return Path(path).group()
    except KeyError:
        return str(Path(path).stat().st_gid)
