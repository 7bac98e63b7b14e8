"""The camera over the tray: its picture, what it sees, what is wrong with that, and its set-up.

Whoever may see the table may see the tray. What the camera is, and what it looks at, is chosen on the machine that
serves: a request from another machine is refused.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from dicetower.api.bodies import AwayBody, OpenBody, ProfileBody, SetUpBody, TrialBody, WrongBody
from dicetower.api.guard import LOOPBACK
from dicetower.api.problems import documented
from dicetower.api.routes.shared import TheServices
from dicetower.api.services import CameraDesk
from dicetower.api.views import CameraView, ChoicesView, KeptView, StagesView
from dicetower.errors import Conflict

router = APIRouter(prefix="/camera", tags=["camera"])
CHANGES = documented(400, 403, 404, 409, 413, 415, 422, 503)
LOOKS = documented(403, 404, 409, 422, 503)
FRESH = {"cache-control": "no-store"}


def desk_of(services: TheServices) -> CameraDesk:
    """The camera; Conflict where this service has none."""
    if services.camera is None:
        raise Conflict("This service has no camera; start `dicetower serve`.")
    return services.camera


TheDesk = Annotated[CameraDesk, Depends(desk_of)]


def keeper(request: Request) -> None:
    """Refuse whoever does not sit at the machine that serves; one who comes through a proxy may be anybody."""
    here = request.client is not None and request.client.host in LOOPBACK
    if not here or "x-forwarded-for" in request.headers or "forwarded" in request.headers:
        raise HTTPException(403, "The camera is set up on the machine that serves; open /setup there, at 127.0.0.1.")


KEEPER = [Depends(keeper)]


def _picture(data: bytes, kind: str) -> Response:
    return Response(data, media_type=f"image/{kind}", headers=FRESH)


def _shown(kind: str, says: str) -> dict[int | str, dict[str, Any]]:
    return LOOKS | {200: {"content": {f"image/{kind}": {}}, "description": says}}


@router.get("", response_model=CameraView, responses=LOOKS)
def show_camera(desk: TheDesk) -> Response:
    """How the camera is, and the dice it sees."""
    return JSONResponse(desk.state(), headers=FRESH)


@router.get("/picture", response_class=Response, responses=_shown("jpeg", "the newest picture"))
def show_picture(
    desk: TheDesk,
    whole: Annotated[bool, Query(description="all that the camera sees, not the tray alone")] = False,
    width: Annotated[int, Query(ge=64, le=1280, description="the most pixels across")] = 1280,
) -> Response:
    """The newest picture. Ask again for the next: there is no stream, so that pages never block each other."""
    return _picture(desk.picture(whole, width), "jpeg")


@router.post("/stages", response_model=StagesView, responses=CHANGES)
def look_again(desk: TheDesk) -> Response:
    """Read the newest picture once more, keeping each stage of it."""
    return JSONResponse({"stages": desk.look_again()})


@router.get("/stages/{number}", response_class=Response, responses=_shown("png", "the stage"))
def show_stage(number: Annotated[int, Path(ge=0, le=1000)], desk: TheDesk) -> Response:
    """One stage of the reading asked for last."""
    return _picture(desk.stage(number), "png")


@router.post("/wrong", response_model=KeptView, responses=CHANGES)
def say_wrong(body: WrongBody, desk: TheDesk) -> Response:
    """Keep a die that was read wrong, missed or invented, as a tape that fails until the reader is mended."""
    tape, offered = desk.wrong(body.look, body.number if body.at is None else body.at, body.die, body.value)
    return JSONResponse({"tape": tape, "offered": offered})


@router.post("/away", response_model=CameraView, responses=CHANGES)
def answer_away(body: AwayBody, desk: TheDesk) -> Response:
    """Say whether the dice that came while the camera was away count as a throw."""
    desk.answer_away(body.at, body.count)
    return show_camera(desk)


@router.get("/choices", response_model=ChoicesView, responses=LOOKS, dependencies=KEEPER)
def show_choices(desk: TheDesk) -> Response:
    """The cameras of this machine, and the set-ups there are."""
    return JSONResponse(desk.choices(), headers=FRESH)


@router.post("/open", response_model=CameraView, responses=CHANGES, dependencies=KEEPER)
def open_camera(body: OpenBody, desk: TheDesk) -> Response:
    """Use a camera of this machine or in the network. Files and folders are opened from the command line alone."""
    desk.open(body.source)
    return show_camera(desk)


@router.post("/close", response_model=CameraView, responses=CHANGES, dependencies=KEEPER)
def close_camera(desk: TheDesk) -> Response:
    """Use no camera."""
    desk.close()
    return show_camera(desk)


@router.patch("/setup", response_model=CameraView, responses=CHANGES, dependencies=KEEPER)
def change_setup(body: SetUpBody, desk: TheDesk) -> Response:
    """Change the set-up in force: the tray's corners, which way up, how wide, its zones."""
    corners = None if body.corners is None else tuple(body.corners)
    desk.change(corners=corners, turn=body.turn, width_mm=body.width_mm, zones=body.zones)
    return show_camera(desk)


@router.post("/find", response_model=CameraView, responses=CHANGES, dependencies=KEEPER)
def find_tray(desk: TheDesk) -> Response:
    """Mark the tray between the four printed markers."""
    desk.find_tray()
    return show_camera(desk)


@router.post("/empty", response_model=CameraView, responses=CHANGES, dependencies=KEEPER)
def learn_empty(desk: TheDesk) -> Response:
    """Take the tray for empty as it looks now."""
    desk.learn_empty()
    return show_camera(desk)


@router.post("/trial", response_model=CameraView, responses=CHANGES, dependencies=KEEPER)
def try_throws(body: TrialBody, desk: TheDesk) -> Response:
    """While it is on, throws are shown at the set-up and not given to the table."""
    desk.try_throws(body.on)
    return show_camera(desk)


@router.post("/profile", response_model=CameraView, responses=CHANGES, dependencies=KEEPER)
def save_profile(body: ProfileBody, desk: TheDesk) -> Response:
    """Keep the set-up in force under a name."""
    desk.save(body.name)
    return show_camera(desk)


@router.post("/profile/use", response_model=CameraView, responses=CHANGES, dependencies=KEEPER)
def use_profile(body: ProfileBody, desk: TheDesk) -> Response:
    """Use a set-up that was kept."""
    desk.load(body.name)
    return show_camera(desk)


@router.get("/markers/{number}", response_class=Response, responses=_shown("png", "the marker"))
def show_marker(number: Annotated[int, Path(ge=0, le=1000)], desk: TheDesk) -> Response:
    """A marker to print: 0 to 3, clockwise from the tray's far left corner."""
    return _picture(desk.marker(number), "png")
