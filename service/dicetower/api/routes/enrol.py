"""Die sets: dice that players show face by face, to be read by comparison with their own faces."""

from __future__ import annotations

from typing import Annotated, Any

import anyio.to_thread
from fastapi import APIRouter, Depends, File, Form, UploadFile
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from dicetower.api.bodies import (
    DieSetPath,
    FaceLabel,
    FacePicture,
    FacePicturePath,
    FaceValue,
    HoldBody,
    OfferBody,
    ShotBody,
    TryBody,
    UseBody,
)
from dicetower.api.guard import LARGEST_PHOTO, too_large
from dicetower.api.problems import documented
from dicetower.api.routes.shared import TheServices
from dicetower.api.services import Teacher
from dicetower.api.views import AlikeView, DieSetsView, DieSetView, HeldView, ShotView, TriedDiceView
from dicetower.errors import Conflict
from dicetower.model import Die, FaceAsked

router = APIRouter(prefix="/die-sets", tags=["die sets"])
CHANGES = documented(400, 403, 404, 409, 413, 415, 422, 503)
LOOKS = documented(403, 404, 409, 422, 503)
FRESH = {"cache-control": "no-store"}
FOR_EVER = {"cache-control": "private, max-age=31536000, immutable"}
"""Of a picture: its name holds its hash."""


def teacher_of(services: TheServices) -> Teacher:
    """Whoever keeps the sets; Conflict where this service keeps none."""
    if services.enrol is None:
        raise Conflict("This service keeps no die sets; start `dicetower serve`.")
    return services.enrol


TheTeacher = Annotated[Teacher, Depends(teacher_of)]
Photograph = Annotated[UploadFile, File(description="the picture: JPEG, PNG or WebP, at most 32 MiB")]


def face_form(
    die: Annotated[Die, Form(description="the die's type")],
    value: Annotated[FaceValue, Form(description="the value on top")],
    label: Annotated[FaceLabel, Form(description="what a symbol is called; empty: a numeral")] = "",
    replaces: Annotated[FacePicture | None, Form(description="the picture that this one takes the place of")] = None,
    insist: Annotated[bool, Form(description="take it although it is doubtful")] = False,
) -> FaceAsked:
    """Which face a photograph shows, as a form's fields say it."""
    return FaceAsked(die, value, label, replaces or "", insist)


def _answer(value: Any) -> Response:
    return JSONResponse(value, headers=FRESH)


@router.get("", response_model=DieSetsView, responses=LOOKS)
def show_sets(teacher: TheTeacher) -> Response:
    """Every set, its faces, and what the table offers to it."""
    return _answer(teacher.state())


@router.post("/hold", response_model=HeldView, responses=CHANGES)
def hold_camera(body: HoldBody, teacher: TheTeacher) -> Response:
    """Have the camera for a page that is shown dice, ten seconds a call; the table gets no throw meanwhile."""
    teacher.hold(body.holder, body.on)
    return _answer({"held": body.on})


@router.get("/{name}", response_model=DieSetView, responses=LOOKS)
def show_set(name: DieSetPath, teacher: TheTeacher) -> Response:
    """One set, with nothing in it where none of that name is kept."""
    return _answer(teacher.one(name))


@router.delete("/{name}", response_model=DieSetsView, responses=CHANGES)
def forget_set(name: DieSetPath, teacher: TheTeacher) -> Response:
    """Take a set away with its pictures. One that the settings name is refused."""
    teacher.forget(name)
    return _answer(teacher.state())


@router.post("/{name}/use", response_model=DieSetView, responses=CHANGES)
def use_set(name: DieSetPath, body: UseBody, teacher: TheTeacher) -> Response:
    """Read with a set at the table from now on, or no longer, until the service ends."""
    return _answer(teacher.use(name, body.on))


@router.get("/{name}/alike", response_model=AlikeView, responses=LOOKS)
def show_alike(name: DieSetPath, teacher: TheTeacher) -> Response:
    """The faces that comparison cannot tell apart."""
    return _answer({"alike": teacher.alike(name)})


@router.get(
    "/{name}/pictures/{picture}",
    response_class=Response,
    responses=LOOKS | {200: {"content": {"image/png": {}}, "description": "the picture, 192 pixels square"}},
)
def show_face(name: DieSetPath, picture: FacePicturePath, teacher: TheTeacher) -> Response:
    """A picture of a face, the set's or one that is offered to it."""
    return Response(teacher.picture(name, picture), media_type="image/png", headers=FOR_EVER)


@router.delete("/{name}/pictures/{picture}", response_model=DieSetView, responses=CHANGES)
def remove_face(name: DieSetPath, picture: FacePicturePath, teacher: TheTeacher) -> Response:
    """Take one picture out of a set; with its last picture the set is gone."""
    return _answer(teacher.remove(name, picture))


@router.post("/{name}/shots", response_model=ShotView, responses=CHANGES)
def take_shot(name: DieSetPath, body: ShotBody, teacher: TheTeacher) -> Response:
    """Take the new die of the settled picture as a picture of a face; what will not do says why."""
    asked = FaceAsked(body.die, body.value, body.label, body.replaces or "", body.insist)
    return _answer(teacher.shoot(name, body.holder, body.look, asked))


@router.post("/{name}/photo", response_model=ShotView, responses=CHANGES)
async def take_photograph(
    name: DieSetPath,
    teacher: TheTeacher,
    photo: Photograph,
    asked: Annotated[FaceAsked, Depends(face_form)],
) -> Response:
    """Take a photograph of one die as a picture of a face; what will not do says why."""
    data = await _read(photo)
    return _answer(await anyio.to_thread.run_sync(lambda: teacher.shoot_photo(name, data, asked)))


@router.post("/{name}/try", response_model=TriedDiceView, responses=CHANGES)
def try_set(name: DieSetPath, body: TryBody, teacher: TheTeacher) -> Response:
    """The dice of the settled picture as they are read with a set."""
    return _answer({"dice": teacher.try_look(name, body.look)})


@router.post("/{name}/try/photo", response_model=TriedDiceView, responses=CHANGES)
async def try_set_on_photograph(name: DieSetPath, teacher: TheTeacher, photo: Photograph) -> Response:
    """The dice of a photograph as they are read with a set."""
    data = await _read(photo)
    return _answer({"dice": await anyio.to_thread.run_sync(lambda: teacher.try_photo(name, data))})


@router.post("/{name}/offers/{picture}", response_model=DieSetView, responses=CHANGES)
def decide_offer(name: DieSetPath, picture: FacePicturePath, body: OfferBody, teacher: TheTeacher) -> Response:
    """Take a face that a correction at the table offered into its set, or let it go."""
    return _answer(teacher.decide(name, picture, body.take))


async def _read(photo: UploadFile) -> bytes:
    data = await photo.read(LARGEST_PHOTO + 1)
    if len(data) > LARGEST_PHOTO:
        raise HTTPException(413, too_large(LARGEST_PHOTO, photo=True))
    return data
