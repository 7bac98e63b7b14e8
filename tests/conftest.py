"""How property tests run everywhere: no clock decides whether a test passes.

Where CI=true the examples are the same in every run, so that a change is judged by what it changes; elsewhere each
run looks at new ones.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "dicetower",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=os.environ.get("CI") == "true",
)
settings.load_profile("dicetower")
