"""What a keeper may set: a TOML file, `DICETOWER_…` in the environment over it, the command line over that.

Every key, its meaning and its default: `docs/configuration.md`. An unknown key is refused, never passed over: a
misspelt `alowed_hosts` would otherwise look like a setting that does nothing.
"""

from __future__ import annotations

import ipaddress
import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import platformdirs
from pydantic import AfterValidator, BeforeValidator, Field, ValidationError
from pydantic_settings import BaseSettings, NoDecode, PydanticBaseSettingsSource, SettingsConfigDict
from pydantic_settings.sources import EnvSettingsSource

from dicetower.errors import BadInput, why_unreadable

PREFIX = "DICETOWER_"
CONFIG_VARIABLE = "DICETOWER_CONFIG"
"""Names the configuration file itself, so it is no key in it."""

MEMORY = "memory:"
"""A journal that lasts as long as the program, for trying out."""

DEFAULT_PORT = 3423
"""DICE on a telephone's keys: easy to say across a table, and not a port that other local servers take."""


def is_url(journal: str) -> bool:
    """Whether a journal is something other than a file."""
    return "://" in journal or journal == MEMORY


def _listed(value: object) -> object:
    """An environment variable holds a list as `one,two`."""
    return [part.strip() for part in value.split(",") if part.strip()] if isinstance(value, str) else value


def _host_name(name: str) -> str:
    """A bare host name: what a browser sends in Host, without its port."""
    bare = name.lower().rstrip(".")
    if (
        not bare
        or any(mark in bare for mark in "/@ ?#,")
        or bare.startswith(".")
        or (":" in bare and not _is_ipv6(bare))
    ):
        raise ValueError("expected a host name such as dice.local, with neither scheme nor port")
    return bare


def _is_ipv6(name: str) -> bool:
    try:
        return ipaddress.ip_address(name).version == 6
    except ValueError:
        return False


HostName = Annotated[str, Field(max_length=253), AfterValidator(_host_name)]


class Settings(BaseSettings):
    """The effective settings. Paths are absolute; `journal` is a path, an SQLAlchemy URL or MEMORY."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, extra="forbid", frozen=True)

    host: Annotated[str, Field(min_length=1, max_length=253)] = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65535)] = DEFAULT_PORT
    allowed_hosts: Annotated[tuple[HostName, ...], NoDecode, BeforeValidator(_listed)] = ()
    journal: Annotated[str, Field(min_length=1)] = ""
    rules: Path | None = None
    table: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,31}$")] = "main"
    edice: Annotated[
        tuple[Annotated[str, Field(min_length=1, max_length=253)], ...], NoDecode, BeforeValidator(_listed)
    ] = ()
    camera: Annotated[str, Field(max_length=1000)] = ""
    camera_table: Annotated[str, Field(pattern=r"^([a-z0-9][a-z0-9-]{0,31})?$")] = ""
    camera_profile: Annotated[str, Field(pattern=r"^([a-z0-9][a-z0-9-]{0,31})?$")] = ""
    die_sets: Annotated[
        tuple[Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]{0,31}$")], ...], NoDecode, BeforeValidator(_listed)
    ] = ()
    die_sets_learn: bool = False
    log: Literal["debug", "info", "warning", "error"] = "info"

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003 - the signature is pydantic's
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Only what `load` hands over: it has laid the layers already and knows where each value came from."""
        return (init_settings,)

    def shown(self) -> dict[str, Any]:
        """Every setting as JSON has it, passwords left out."""
        journal, camera = (re.sub(r"(://[^:/@]*):.*@", r"\1:***@", text) for text in (self.journal, self.camera))
        return self.model_dump(mode="json") | {"journal": journal, "camera": re.sub(r"\?.*", "?***", camera)}

    @property
    def evidence(self) -> Path:
        """The folder of the crops that dice were read from: beside the journal's file, else with the user's data."""
        if is_url(self.journal):
            return Path(platformdirs.user_data_dir("dicetower", appauthor=False)) / "evidence"
        return Path(self.journal).with_suffix(".evidence")

    @property
    def corrections(self) -> Path:
        """The folder of tapes that "this is wrong" makes: beside the crops."""
        return self.evidence.with_name(f"{self.evidence.stem}.corrections")

    @property
    def die_set_folder(self) -> Path:
        """The folder of the dice that players have shown, a folder a set: the user's, whatever the journal."""
        return Path(platformdirs.user_data_dir("dicetower", appauthor=False)) / "die-sets"


@dataclass(frozen=True, slots=True)
class Effective:
    """The settings, and for each key where its value came from ("default", a file, a variable, the command line)."""

    settings: Settings
    origin: Mapping[str, str]


def config_file() -> Path:
    """The configuration file that is read when none is named; it need not exist."""
    return Path(platformdirs.user_config_dir("dicetower", appauthor=False)) / "config.toml"


def camera_folder() -> Path:
    """Where the set-ups of cameras lie; it need not exist."""
    return Path(platformdirs.user_config_dir("dicetower", appauthor=False)) / "cameras"


def default_journal() -> str:
    """Where the journal lies when nothing names another place."""
    return str(Path(platformdirs.user_data_dir("dicetower", appauthor=False)) / "journal.db")


def load(flags: Mapping[str, Any] | None = None, config: Path | None = None) -> Effective:
    """Lay the layers over each other and check the whole; BadInput names the key and where it stands.

    `flags` are the command line's values; those that are None were not given.
    """
    file = config or _named_config() or config_file()
    must_exist = config is not None or _named_config() is not None
    layers = [
        (str(file), _anchored(_from_file(file, must_exist), file.parent)),
        ("the environment", _anchored(_from_environment(), Path.cwd())),
        ("the command line", _anchored({k: v for k, v in (flags or {}).items() if v is not None}, Path.cwd())),
    ]
    values: dict[str, Any] = {"journal": default_journal()}
    origin = dict.fromkeys(Settings.model_fields, "default")
    for name, layer in layers:
        values |= layer
        origin |= {key: f"{PREFIX}{key.upper()}" if name == "the environment" else name for key in layer}
    return Effective(_checked(values, origin), origin)


def _named_config() -> Path | None:
    named = os.environ.get(CONFIG_VARIABLE)
    return Path(named) if named else None


def _from_file(file: Path, must_exist: bool) -> dict[str, Any]:
    """The keys of a TOML file; no file is no keys, unless somebody named it."""
    try:
        return _flat(tomllib.loads(file.read_text(encoding="utf-8")))
    except FileNotFoundError:
        if must_exist:
            raise BadInput(f"settings: there is no file {file}; name one that exists, or leave it out.") from None
        return {}
    except (OSError, ValueError, RecursionError) as error:  # TOML's and Unicode's errors are ValueErrors
        raise BadInput(f"settings: {file} cannot be read as TOML: {why_unreadable(error)}.") from error


def _flat(data: dict[str, Any]) -> dict[str, Any]:
    """The keys of a file, those of its table `[camera]` by the names that they have elsewhere."""
    camera = data.pop("camera", {})
    if not isinstance(camera, dict):
        return data | {"camera": camera}
    return data | {("camera" if key == "source" else f"camera_{key}"): value for key, value in camera.items()}


def _from_environment() -> dict[str, Any]:
    """The keys that variables name; a variable with our prefix that names none is refused."""
    known = {f"{PREFIX}{key.upper()}" for key in Settings.model_fields} | {CONFIG_VARIABLE}
    for name in sorted(os.environ):
        if name.startswith(PREFIX) and name not in known:
            raise BadInput(f"settings: {name} is no setting; expected one of {', '.join(sorted(known))}.")
    return {key: value for key, value in EnvSettingsSource(Settings)().items() if key in Settings.model_fields}


def _anchored(layer: dict[str, Any], folder: Path) -> dict[str, Any]:
    """`layer` with its relative paths made whole: a file's from its own folder, others from where you stand."""
    made = dict(layer)
    for key in ("journal", "rules"):
        value = made.get(key)
        if isinstance(value, str | Path) and str(value) and not is_url(str(value)):
            made[key] = str((folder / Path(value).expanduser()).resolve())
    source = made.get("camera")
    if isinstance(source, str) and _is_path(source):
        made["camera"] = str((folder / Path(source).expanduser()).resolve())
    return made


def _is_path(source: str) -> bool:
    """Whether a camera is a video file or a folder: no number, no device, no address."""
    return bool(source) and not source.isdigit() and not source.startswith("/dev/") and "://" not in source


def _checked(values: dict[str, Any], origin: Mapping[str, str]) -> Settings:
    try:
        return Settings(**values)
    except ValidationError as error:
        raise BadInput(" ".join(_sentence(fault, origin) for fault in error.errors())) from None


def _sentence(fault: Any, origin: Mapping[str, str]) -> str:
    key = str(fault["loc"][0])
    where = origin.get(key, "the command line")
    if fault["type"] == "extra_forbidden":
        known = ", ".join(sorted(Settings.model_fields))
        return f"settings: {key} in {where} is no setting; expected one of {known}."
    message = str(fault["msg"]).removeprefix("Value error, ")
    if fault["type"] == "string_pattern_mismatch":
        message = "expected 1 to 32 of a-z, 0-9 and hyphens"
    return f"settings: {key} in {where}: {message[0].lower()}{message[1:]}; got {str(fault['input'])[:80]!r}."
