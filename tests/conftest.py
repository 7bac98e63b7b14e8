"""How property tests run everywhere: no clock decides whether a test passes.

Where CI=true the examples are the same in every run, so that a change is judged by what it changes; elsewhere each
run looks at new ones.
"""

from __future__ import annotations

import os
import signal

from hypothesis import HealthCheck, settings

settings.register_profile(
    "dicetower",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=os.environ.get("CI") == "true",
)
settings.load_profile("dicetower")

if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    # A run begun in the background of a script ignores Ctrl-C, and so would every program that a test starts and stops.
    signal.signal(signal.SIGINT, signal.default_int_handler)
