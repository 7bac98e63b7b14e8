"""A scene as light, and as the picture a webcam makes of it: Mitsuba 3 on the CPU.

Mitsuba is loaded when it is first used: `pip install -e .[physical]`. `scalar_rgb` needs nothing else; with LLVM 18 or
newer, found by itself or named by DRJIT_LIBLLVM_PATH, `llvm_ad_rgb` is two to three times faster. Where mitsuba-oidn
is there too, few samples are denoised; without it `samples` must be higher for as clean a picture.
"""

from __future__ import annotations

import ctypes.util
import os
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from training.physical import ground, paint
from training.physical.die import Die, Pose
from training.physical.scene import Lamp, Scene, boards
from training.trays.light import linear
from training.trays.sensor import develop

Light = NDArray[np.float32]
"""(H, W, 3), linear, blue green red."""

SAMPLES = 4
"""Rays a pixel before denoising."""

BOUNCES = 6
"""Enough to go in and out of a clear die and back to the lamp."""

TABLE_MM = 3000.0
NEWEST_FIRST = ("LLVM-20", "LLVM-19", "LLVM-18")
"""LLVM 14 to 16, as Debian 12 has them besides, do not compile what Mitsuba 3.9 asks of them."""


@cache
def engine() -> Any:
    """Mitsuba, in the fastest way that this machine has."""
    import mitsuba

    mitsuba.set_variant(variant())
    mitsuba.set_log_level(mitsuba.LogLevel.Error)
    return mitsuba


def variant() -> str:
    """Mitsuba's name for how it computes."""
    path = os.environ.get("DRJIT_LIBLLVM_PATH") or next(
        (found for found in map(ctypes.util.find_library, NEWEST_FIRST) if found), None
    )
    if path is None:
        return "scalar_rgb"
    os.environ["DRJIT_LIBLLVM_PATH"] = path
    return "llvm_ad_rgb"


def picture(scene: Scene, samples: int = SAMPLES) -> NDArray[np.uint8]:
    """What the scene's webcam gives of it, BGR."""
    return develop(render(scene, samples), scene.webcam, np.random.default_rng((*scene.seed, 7)))


def render(scene: Scene, samples: int = SAMPLES) -> Light:
    """The light that falls on the sensor."""
    return Studio(scene, samples).shot(scene.poses)


class Studio:
    """A scene whose dice may be laid out again and again: floor, room and paint are made, and compiled, once."""

    def __init__(self, scene: Scene, samples: int = SAMPLES) -> None:
        self._mi, self._scene, self._samples = engine(), scene, samples
        dice = {f"die{k}": _mesh(self._mi, die, k, scene) for k, die in enumerate(scene.dice)}
        camera, room = _camera(self._mi, scene, samples), _room(self._mi, scene)
        self._world = self._mi.load_dict(
            {"type": "scene", "integrator": _integrator(), "sensor": camera, **room, **dice}
        )
        self._values = self._mi.traverse(self._world)

    def shot(self, poses: Sequence[Pose], number: int = 0) -> Light:
        """The light with the dice lying so; `number` gives each shot of a film its own noise."""
        for k, (die, pose) in enumerate(zip(self._scene.dice, poses, strict=True)):
            self._values[f"die{k}.vertex_positions"] = np.ravel(pose.placed(die.points_mm)).astype(np.float32)
            self._values[f"die{k}.vertex_normals"] = np.ravel(die.mesh.normals @ pose.turn.T).astype(np.float32)
        self._values.update()
        layers = self._mi.render(self._world, spp=self._samples, seed=_seed(self._scene, number))
        return np.ascontiguousarray(_denoised(np.array(layers, np.float32))[..., ::-1])


def _seed(scene: Scene, number: int) -> int:
    return int(np.random.default_rng((*scene.seed, 9, number)).integers(2**31))


def _integrator() -> dict[str, Any]:
    """Paths, with what the denoiser wants to know of each pixel."""
    path = {"type": "path", "max_depth": BOUNCES}
    return {"type": "aov", "aovs": "albedo:albedo,normal:sh_normal", "image": path}


def _denoised(layers: Light) -> Light:
    """Red, green, blue (of layers with alpha, albedo and normal behind them), cleaned where OIDN is there."""
    colour, albedo, normal = layers[..., :3], layers[..., -6:-3], layers[..., -3:]
    try:
        import mitsuba_oidn
    except ImportError:
        return colour
    parts = (np.ascontiguousarray(part) for part in (colour, albedo, normal))
    return np.asarray(mitsuba_oidn.denoise(*parts, hdr=True), np.float32)


def _camera(mi: Any, scene: Scene, samples: int) -> dict[str, Any]:
    """The webcam: a thin lens focused on the floor's middle."""
    camera, view = scene.camera, scene.view
    up = -view.turn[1].astype(float)
    place = mi.ScalarTransform4f().look_at(
        origin=view.eye.astype(float).tolist(), target=[0.0, 0.0, 0.0], up=up.tolist()
    )
    return {
        "type": "thinlens",
        "to_world": place,
        "fov": float(np.degrees(2 * np.arctan(camera.view_mm / 2 / camera.distance_mm))),
        "fov_axis": "x",
        "near_clip": 1.0,
        "far_clip": 1e5,
        "aperture_radius": scene.lens_mm,
        "focus_distance": camera.distance_mm,
        "film": {
            "type": "hdrfilm",
            "width": camera.width_px,
            "height": camera.height_px,
            "pixel_format": "rgb",
            "component_format": "float32",
            "rfilter": {"type": "box"},
        },
        "sampler": {"type": "independent", "sample_count": samples},
    }


def _texture(mi: Any, values: Light, repeat: str = "clamp") -> dict[str, Any]:
    values = values if values.ndim == 3 else values[..., None]
    return {
        "type": "bitmap",
        "bitmap": mi.Bitmap(np.ascontiguousarray(values, np.float32)),
        "raw": True,
        "wrap_mode": repeat,
    }


def _material(mi: Any, on: paint.Paint) -> Any:
    """A die's stuff: lacquer over colour, light through it where it is clear, numerals cut in.

    All dice have all of it, were it nought: scenes built alike are compiled once.
    """
    stuff = {
        "type": "principled",
        "base_color": _texture(mi, on.colour),
        "roughness": _texture(mi, on.roughness),
        "spec_trans": _texture(mi, on.clear),
        "eta": 1.49,
    }
    return mi.load_dict({"type": "bumpmap", "height": _texture(mi, on.height), "scale": 1.0, "bsdf": stuff})


def _mesh(mi: Any, die: Die, number: int, scene: Scene) -> Any:
    """A die's surface, painted; where it lies comes later."""
    mesh = die.mesh
    properties = mi.Properties()
    properties["bsdf"] = _material(mi, paint.paint(np.random.default_rng((*scene.seed, 8, number)), die))
    made = mi.Mesh(f"die{number}", len(mesh.points), len(mesh.triangles), properties, True, True)
    values = mi.traverse(made)
    values["vertex_positions"] = np.ravel(die.points_mm).astype(np.float32)
    values["vertex_normals"] = np.ravel(mesh.normals).astype(np.float32)
    values["vertex_texcoords"] = np.ravel(mesh.uv).astype(np.float32)
    values["faces"] = np.ravel(mesh.triangles).astype(np.uint32)
    values.update()
    return made


def _room(mi: Any, scene: Scene) -> dict[str, Any]:
    """All that is not dice: floor, walls, table, the room's light and the lamp."""
    rng = np.random.default_rng((*scene.seed, 6))
    tray = scene.tray
    wood: ground.Kind = "drawn" if tray.floor == "drawn" else "wood"
    return {
        "floor": _plane(mi, tray.inside_mm, 0.0, ground.lay(tray.floor, tray.floor_colour, rng)),
        "table": _plane(mi, (TABLE_MM, TABLE_MM), -3.0, ground.lay(wood, str(rng.choice(ground.COLOURS["wood"])), rng)),
        **_walls(mi, scene, ground.lay(wood, tray.rim_colour, rng)),
        "room": {
            "type": "envmap",
            "bitmap": mi.Bitmap(np.ascontiguousarray(room(scene.lamp, rng)[..., ::-1])),
            "to_world": mi.ScalarTransform4f().rotate([1, 0, 0], 90),
        },
        "lamp": _lamp(scene.lamp),
    }


def _stuff(mi: Any, on: ground.Ground) -> dict[str, Any]:
    """A floor's material."""
    stuff: dict[str, Any] = {
        "type": "principled",
        "base_color": _texture(mi, on.colour, "mirror"),
        "roughness": on.roughness,
        "specular": 0.2 if on.roughness > 0.8 else 0.5,
    }
    return {"type": "bumpmap", "height": _texture(mi, on.height, "mirror"), "scale": 1.0, "bsdf": stuff}


def _plane(mi: Any, size_mm: tuple[float, float], z_mm: float, on: ground.Ground) -> dict[str, Any]:
    """A level rectangle. Its texture's mm are the tray's, mirrored beyond the sheet."""
    x, y = (side / 2 for side in size_mm)
    stuff = _stuff(mi, on)
    return {
        "type": "rectangle",
        "to_world": mi.ScalarTransform4f().translate([0, 0, z_mm]).scale([x, y, 1]),
        "bsdf": _scaled(mi, stuff, (size_mm[0] / ground.SIDE_MM, size_mm[1] / ground.SIDE_MM)),
    }


def _scaled(mi: Any, stuff: dict[str, Any], by: tuple[float, float]) -> dict[str, Any]:
    """The material with its textures laid so many times over 0 to 1."""
    if stuff["type"] == "bitmap":
        return {**stuff, "to_uv": mi.ScalarTransform3f().scale([by[0], by[1]])}
    return {key: _scaled(mi, part, by) if isinstance(part, dict) else part for key, part in stuff.items()}


def _walls(mi: Any, scene: Scene, on: ground.Ground) -> dict[str, Any]:
    """Four boards round the floor."""
    stuff = _scaled(mi, _stuff(mi, on), (0.5, 0.5))
    return {
        name: {
            "type": "cube",
            "to_world": mi.ScalarTransform4f().translate(((low + top) / 2).tolist()).scale(((top - low) / 2).tolist()),
            "bsdf": stuff,
        }
        for name, (low, top) in boards(scene.tray).items()
    }


def room(lamp: Lamp, rng: np.random.Generator) -> Light:
    """The room as it lights and is mirrored, all round: (128, 256, 3) blue green red, the zenith in the first row."""
    high = np.linspace(90, -90, 128)[:, None]
    wall = np.where(high > 55, 0.7, np.where(high > 0, 0.42, 0.16))
    light = np.broadcast_to(wall[..., None], (128, 256, 3)) * np.array([0.9, 0.97, 1.0])
    light = light * np.exp(rng.normal(0, 0.12, (1, 256, 1)).cumsum(axis=1) * 0.15)
    across = (np.linspace(0, 360, 256, endpoint=False)[None] - lamp.window_deg + 180) % 360 - 180
    pane = (np.abs(across) < rng.uniform(8, 26)) & (np.abs(high - rng.uniform(20, 40)) < rng.uniform(8, 18))
    bars = (np.abs(across) > 1.2) & (np.abs(high - 30) > 0.8)
    light = np.where((pane & bars)[..., None], lamp.bright * np.array([1.0, 0.97, 0.93]), light)
    if rng.random() < 0.5:
        over = (np.abs(across - rng.uniform(-180, 180)) < 30) & (np.abs(high - rng.uniform(45, 60)) < 4)
        light = np.where(over[..., None], rng.uniform(2, 6), light)
    return np.asarray(light, np.float32)


def _lamp(lamp: Lamp) -> dict[str, Any]:
    """A ball that gives its share of the light on the floor; the room gives some 1.3 (its mean, times pi)."""
    far = float(np.linalg.norm(lamp.at_mm))
    wanted = 1.3 * lamp.share / (1 - lamp.share)
    strength = wanted * far**3 / (np.pi * lamp.radius_mm**2 * lamp.at_mm[2])
    tint = linear("#ffffff") * (1 - lamp.warm) + linear("#ffd9a0") * lamp.warm
    return {
        "type": "sphere",
        "center": list(lamp.at_mm),
        "radius": lamp.radius_mm,
        "emitter": {"type": "area", "radiance": {"type": "rgb", "value": (strength * tint[::-1]).tolist()}},
    }
