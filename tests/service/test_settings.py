"""Each layer lies over the one below, every value says where it came from, and nothing unknown is passed over."""

from __future__ import annotations

from pathlib import Path

import pytest

from dicetower.errors import BadInput
from dicetower.settings import CONFIG_VARIABLE, DEFAULT_PORT, config_file, load


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No variable of the person who runs the tests, and no file of theirs."""
    import os

    for name in [name for name in os.environ if name.startswith("DICETOWER_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_nothing_set_is_loopback_and_a_journal_in_the_users_folder(tmp_path: Path) -> None:
    effective = load()
    assert effective.settings.host == "127.0.0.1"
    assert effective.settings.port == DEFAULT_PORT
    assert effective.settings.journal == str(tmp_path / "data/dicetower/journal.db")
    assert set(effective.origin.values()) == {"default"}


def test_environment_over_file_and_command_line_over_both(monkeypatch: pytest.MonkeyPatch) -> None:
    written(config_file(), 'port = 1001\ntable = "hall"\nlog = "debug"\n')
    monkeypatch.setenv("DICETOWER_PORT", "1002")
    monkeypatch.setenv("DICETOWER_LOG", "error")
    effective = load({"port": 1003, "host": None})
    got = {key: (getattr(effective.settings, key), effective.origin[key]) for key in ("port", "log", "table", "host")}
    assert got == {
        "port": (1003, "the command line"),
        "log": ("error", "DICETOWER_LOG"),
        "table": ("hall", str(config_file())),
        "host": ("127.0.0.1", "default"),
    }


def test_a_list_in_a_variable_is_comma_separated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DICETOWER_ALLOWED_HOSTS", "Dice.local, hall.lan.,fe80::1")
    assert load().settings.allowed_hosts == ("dice.local", "hall.lan", "fe80::1")


def test_die_sets_are_named_and_lie_with_the_users_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DICETOWER_DIE_SETS", "runes, bones-2")
    assert load().settings.die_sets == ("runes", "bones-2")
    assert load().settings.die_set_folder == tmp_path / "data/dicetower/die-sets"
    monkeypatch.setenv("DICETOWER_DIE_SETS", "../runes")
    with pytest.raises(BadInput, match="die_sets in DICETOWER_DIE_SETS: expected 1 to 32 of a-z"):
        load()


def test_a_files_paths_are_from_its_own_folder(tmp_path: Path) -> None:
    file = written(tmp_path / "club/config.toml", 'journal = "night.db"\nrules = "../house.toml"\n')
    settings = load(config=file).settings
    assert settings.journal == str(tmp_path / "club/night.db")
    assert settings.rules == tmp_path / "house.toml"


def test_a_journal_url_is_left_as_it_is(tmp_path: Path) -> None:
    file = written(tmp_path / "config.toml", 'journal = "postgresql://dice@localhost/dice"\n')
    assert load(config=file).settings.journal == "postgresql://dice@localhost/dice"


@pytest.mark.parametrize("password", ["secret", "p@ss:wo/rd"])
def test_a_databases_password_is_not_shown(password: str) -> None:
    settings = load({"journal": f"postgresql://dice:{password}@hall:5432/dice"}).settings
    assert settings.shown()["journal"] == "postgresql://dice:***@hall:5432/dice"
    assert password in settings.journal


def test_a_variable_may_name_the_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(CONFIG_VARIABLE, str(written(tmp_path / "other.toml", "port = 7")))
    assert load().settings.port == 7


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('alowed_hosts = ["x"]', ["alowed_hosts", "no setting", "allowed_hosts"]),
        ('port = "many"', ["port", "integer", "'many'"]),
        ("port = 70000", ["port", "65535", "70000"]),
        ("port = -1", ["port", "0"]),
        ('host = ""', ["host", "at least 1"]),
        ('allowed_hosts = ["http://dice.local"]', ["allowed_hosts", "host name", "neither scheme nor port"]),
        ('allowed_hosts = ["dice.local:80"]', ["allowed_hosts", "host name"]),
        ("allowed_hosts = 3", ["allowed_hosts", "tuple"]),
        ('table = "../x"', ["table", "a-z, 0-9 and hyphens"]),
        ('log = "loud"', ["log", "'debug'"]),
        ("[camera]\nnope = 1", ["camera", "no setting"]),
        ("port = ", ["TOML", "config.toml"]),
    ],
)
def test_what_is_wrong_is_said_with_its_key_and_place(text: str, said: list[str]) -> None:
    file = written(config_file(), text)
    with pytest.raises(BadInput) as error:
        load()
    for word in [*said, str(file)]:
        assert word in str(error.value)


def test_bytes_that_are_no_text_are_refused() -> None:
    config_file().parent.mkdir(parents=True)
    config_file().write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadInput, match="cannot be read as TOML"):
        load()


def test_a_file_that_somebody_named_must_exist(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="there is no file"):
        load(config=tmp_path / "none.toml")


def test_a_misspelt_variable_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DICETOWER_PROT", "9")
    with pytest.raises(BadInput, match=r"DICETOWER_PROT is no setting; expected one of .*DICETOWER_PORT"):
        load()


def test_an_unknown_flag_is_refused() -> None:
    with pytest.raises(BadInput, match="nope in the command line is no setting"):
        load({"nope": 1})


def test_a_camera_is_a_table_of_its_own_in_the_file(tmp_path: Path) -> None:
    written(config_file(), '[camera]\nsource = "clips/throw.avi"\ntable = "hall"\nprofile = "kitchen"\n')
    made = load().settings
    assert made.camera == str(config_file().parent / "clips/throw.avi")
    assert (made.camera_table, made.camera_profile) == ("hall", "kitchen")


def test_a_camera_by_variable_and_by_flag(monkeypatch: pytest.MonkeyPatch) -> None:
    written(config_file(), '[camera]\nsource = "0"\n')
    monkeypatch.setenv("DICETOWER_CAMERA", "/dev/v4l/by-id/usb-cam")
    assert load().settings.camera == "/dev/v4l/by-id/usb-cam"
    assert load({"camera": "http://phone:8080/video"}).settings.camera == "http://phone:8080/video"


def test_an_unknown_key_of_the_camera_is_refused() -> None:
    written(config_file(), "[camera]\nsorce = '0'\n")
    with pytest.raises(BadInput, match=r"camera_sorce in .* is no setting"):
        load()


def test_a_cameras_password_is_not_shown() -> None:
    shown = load({"camera": "rtsp://red:secret@10.0.0.7/live?token=abc"}).settings.shown()
    assert shown["camera"] == "rtsp://red:***@10.0.0.7/live?***"
