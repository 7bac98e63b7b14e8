"""What each thread has of its own: a cv2.dnn net is no two threads' at once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def one_a_thread(make: Callable[[], T]) -> Callable[[], T]:
    """A call that answers what `make` made for this thread, made once."""
    own = threading.local()

    def mine() -> T:
        if not hasattr(own, "made"):
            own.made = make()
        made: T = own.made
        return made

    return mine
