"""Pipped dice on a tray, drawn from a seed: true cubes with rounded edges by perspective projection.

    frame, labels = render_tray([DiePose(0, 0, value=5)], tray=Tray("felt"), seed=1)

Lengths are millimetres on the tray: origin in its middle, x to the right, y away from the viewer, z up. Pictures
are BGR uint8. The same arguments give the same picture. What comes out is a render and is to be called one wherever
it is shown or counted.

model.py says what a scene is · geometry.py where things land in the picture · cube.py the die's surface · ground.py
the tray's · light.py what light reaches a point · sensor.py what a webcam makes of it · render.py joins them ·
throws.py makes scenes by the hundred.
"""

from training.trays.model import Camera, DieLabel, DiePose, Light, Sensor, Tray
from training.trays.render import render_tray
from training.trays.throws import Scene, scenes

__all__ = ["Camera", "DieLabel", "DiePose", "Light", "Scene", "Sensor", "Tray", "render_tray", "scenes"]
