"""Every error as `application/problem+json` (RFC 9457): one plain sentence, and a type a program can switch on."""

from __future__ import annotations

import html
import json
import logging
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, Response

from dicetower import errors
from dicetower.api.bodies import IN_WORDS

MEDIA_TYPE = "application/problem+json"
TYPE = "urn:dicetower:problem:"

TITLES: Mapping[type[errors.DicetowerError], tuple[str, str]] = {
    errors.RulesRefusal: ("rules-refusal", "The rules refuse that"),
    errors.BadPicture: ("bad-picture", "Not a picture that can be read"),
    errors.BadInput: ("bad-input", "Wrong in itself"),
    errors.NotFound: ("not-found", "Nothing goes by that name"),
    errors.Conflict: ("conflict", "Not possible in the table's present state"),
    errors.StoreError: ("journal", "The journal does not answer"),
    errors.Unavailable: ("unavailable", "Something the service stands on does not answer"),
}
"""Slug and title; a class that has none takes its nearest ancestor's."""

FASTAPI_UNREADABLE = "There was an error parsing the body"
"""FastAPI's words for a body that is no text, nests without end or holds a number of thousands of digits."""

OBJECT_EXPECTED = ("dict_type", "model_type", "model_attributes_type", "dataclass_type", "mapping_type")
"""Pydantic's faults that speak of Python's dictionaries and classes where JSON has objects."""

log = logging.getLogger("dicetower.api")


class Fault(BaseModel):
    """One thing that is wrong in a request."""

    where: str = Field(description="the place in the request, such as `body dice 0 value`", examples=["body size"])
    what: str = Field(description="what was expected there")


class Problem(BaseModel):
    """Why a request was not done."""

    type: str = Field(examples=[f"{TYPE}rules-refusal"])
    title: str
    status: int
    detail: str = Field(description="one plain sentence: what was expected, what came, what to do")
    instance: str = Field(description="the path that was asked for")
    errors: list[Fault] | None = Field(default=None, description="each fault of a malformed request")


STATUSES: Mapping[int, str] = {
    400: "The body is not JSON.",
    403: "Host or Origin is not this server's.",
    404: "Nothing goes by that name.",
    409: "Not possible in the table's present state.",
    413: "The body is too large.",
    415: "The body is not of the type this call takes.",
    422: "Wrong in itself; the rules' refusals come so.",
    503: "The journal or a device does not answer.",
}


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The `responses=` of a route that may answer these."""
    content = {MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {status: {"description": STATUSES[status], "content": content} for status in statuses}


def problem(
    status: int, slug: str, title: str, detail: str, path: str, faults: list[dict[str, str]] | None = None
) -> Response:
    """One problem as a response. ASCII only on the wire: a fault may quote text that is no valid Unicode."""
    body: dict[str, Any] = {"type": TYPE + slug, "title": title, "status": status, "detail": detail, "instance": path}
    if faults is not None:
        body["errors"] = faults
    return Response(json.dumps(body), status_code=status, media_type=MEDIA_TYPE)


PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} - Dicetower</title></head>
<body><h1>{title}</h1><p>{detail}</p><p><a href="/">To the table</a></p></body></html>
"""


def _answer(
    request: Request, status: int, slug: str, title: str, detail: str, faults: list[dict[str, str]] | None = None
) -> Response:
    """A problem; to a person who opened a page, the same as a plain page."""
    path = request.url.path
    if "text/html" in request.headers.get("accept", "") and not path.startswith("/api/"):
        said = {"title": html.escape(title), "detail": html.escape(detail)}
        return HTMLResponse(PAGE.format(**said), status_code=status)
    return problem(status, slug, title, detail, path, faults)


def install(app: FastAPI) -> None:
    """Make every error of `app` a problem, and show its shape in `/openapi.json`."""
    app.add_exception_handler(errors.DicetowerError, _ours)
    app.add_exception_handler(RequestValidationError, _malformed)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, _unforeseen)
    drawn = app.openapi

    def with_problem() -> dict[str, Any]:
        schemas = drawn()["components"]["schemas"]
        if "Problem" not in schemas:
            made = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
            schemas |= made.pop("$defs") | {"Problem": made}
        return drawn()

    app.openapi = with_problem  # type: ignore[method-assign] # FastAPI's own way to extend the schema


async def _ours(request: Request, error: Exception) -> Response:
    assert isinstance(error, errors.DicetowerError)
    slug, title = next((TITLES[kind] for kind in type(error).__mro__ if kind in TITLES), ("error", "Not done"))
    if isinstance(error, errors.Unavailable):
        log.error("%s: %s", request.url.path, error)
    return _answer(request, error.http_status, slug, title, str(error))


async def _malformed(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    faults = [_fault(fault) for fault in error.errors()]
    if any(fault["type"] == "json_invalid" for fault in error.errors()):
        return _answer(request, 400, "not-json", "Not JSON", f"Expected JSON; {faults[0]['what']}.", faults)
    detail = "; ".join(f"{fault['where']}: {fault['what']}" for fault in faults[:3]) + "."
    return _answer(request, 422, "malformed", "Not what this call takes", detail, faults)


def _fault(fault: Mapping[str, Any]) -> dict[str, str]:
    """Pydantic's fault in our words: where, what was expected, and a short look at what came."""
    where = " ".join(str(part) for part in fault["loc"])
    what = str(fault["msg"]).removeprefix("Value error, ")
    if fault["type"] == "json_invalid":
        return {"where": "body", "what": f"{fault['ctx']['error']} at character {fault['loc'][-1]}"}
    if fault["type"] == "missing":
        return {"where": where, "what": "expected, and not there"}
    if fault["type"] == "extra_forbidden":
        return {"where": where, "what": "there is no such key"}
    if what.startswith("Expected UploadFile"):
        return {"where": where, "what": f"expected a file; got text, {_shown(fault.get('input'))}"}
    if fault["type"] in OBJECT_EXPECTED:
        what = "expected an object"
    if fault["type"] in ("bool_type", "bool_parsing"):
        what = "expected true or false"
    if fault["type"] == "string_pattern_mismatch":
        what = f"expected {IN_WORDS[fault['ctx']['pattern']]}"
    return {"where": where, "what": f"{what[:1].lower()}{what[1:]}; got {_shown(fault.get('input'))}"}


def _shown(value: object) -> str:
    """At most 60 characters of what came; containers only by their kind."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list | tuple):
        return "a list"
    text = json.dumps(value) if value is None or isinstance(value, bool) else ascii(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    status = HTTPStatus(error.status_code)
    detail = str(error.detail)
    if detail in {status.phrase, FASTAPI_UNREADABLE}:
        detail = _plainly(status, request)
    answer = _answer(request, status, status.phrase.lower().replace(" ", "-"), status.phrase, detail)
    answer.headers.update(error.headers or {})
    return answer


def _plainly(status: HTTPStatus, request: Request) -> str:
    if status == HTTPStatus.NOT_FOUND:
        return f"There is nothing at {ascii(request.url.path)[1:-1][:200]}."
    if status == HTTPStatus.BAD_REQUEST:
        return "The body cannot be read as what its Content-Type says; mend the client."
    if status == HTTPStatus.METHOD_NOT_ALLOWED:
        return f"{request.method} is not one of the things to do with this address; see /docs."
    return f"{status.phrase}."


async def _unforeseen(request: Request, error: Exception) -> Response:  # noqa: ARG001 - the server logs it
    detail = "The service met a fault of its own; nothing was changed. Its log has the place."
    return _answer(request, 500, "fault", "A fault of the service", detail)
