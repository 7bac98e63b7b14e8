"""Whole trays as a camera sees them: dice thrown by a physics engine, drawn by a physically based renderer.

    python -m training.physical OUT --count 5 --seed 1        (with vision on PYTHONPATH, `.[physical]`)

Lengths are millimetres in the tray: origin in the middle of its floor, x to the right, y away from the viewer, z up.
Pictures are BGR uint8. One seed gives the same poses and labels anywhere, and the same picture on the same machine.
What comes out is a render and is to be called one wherever it is shown or counted.

die.py says what a die is · mesh.py its surface with rounded edges · paint.py what is on it · throw.py lets dice fall
(MuJoCo) · labels.py what is true of them as they lie · ground.py the tray's floor · scene.py draws lots for whole
scenes · light.py renders (Mitsuba 3) · sets.py makes sets of pictures with labels · clips.py throws as films.
Only throw.py and light.py need an engine, and load it when they are first used.
"""
