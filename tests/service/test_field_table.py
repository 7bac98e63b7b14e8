"""What goes wrong at real tables: each report and the tests that bear it out; those of the whole path follow."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient
from tests.support.api import HKP, Bench

from dicetower.model import Die, Reading, ReadingStatus, SourceKind

TESTS = Path(__file__).parents[1]
T = "/api/v1/tables/main"

SHOWN_BY = {
    "closing a prompt commits nothing": [
        "browser/test_amend.py::test_leaving_a_prompt_commits_nothing",
        "browser/test_doubt.py::test_putting_a_question_off_commits_nothing",
    ],
    "no silent random fill": [
        "service/test_table.py::test_the_system_throws_only_where_the_table_says_so",
        "browser/test_attack.py::test_virtual_dice_are_marked_plainly",
    ],
    "two players throwing together never swap": [
        "service/test_assign.py::test_two_players_throwing_together_never_swap",
        "service/test_field_table.py::test_two_players_typing_at_one_moment_each_fill_their_own_slots",
    ],
    "surplus dice stay unassigned": [
        "service/test_assign.py::test_more_dice_of_a_type_than_are_owed_fill_nothing",
        "service/test_assign.py::test_a_bystanders_die_is_left",
    ],
    "a reload or a second browser re-resolves nothing": [
        "service/test_field_table.py::test_reading_the_table_in_every_way_writes_nothing",
        "browser/test_attack.py::test_a_reload_in_mid_throw_keeps_what_was_thrown",
    ],
    "a display that was cut off shows the present": [
        "browser/test_live.py::test_a_killed_server_comes_back_under_open_pages",
        "browser/test_live.py::test_a_line_that_comes_back_is_live_only_when_present",
        "browser/test_attack.py::test_a_display_opened_late_shows_the_present",
    ],
    "a second result gets its own full time": [
        "browser/test_scenes.py::test_a_result_stays_its_full_time_while_the_next_is_thrown",
        "browser/test_scenes.py::test_three_results_at_once_are_shown_one_after_another",
    ],
    "colour alone carries no meaning": [
        "browser/test_colour.py::test_any_two_players_are_told_apart",
        "browser/test_attack.py::test_each_outcome_has_its_word",
    ],
    "readable from three metres": ["browser/test_looks.py::test_the_display_is_read_at_three_metres"],
    "spoken by a screen reader": ["browser/test_access.py::test_each_die_and_the_outcome_are_spoken_once"],
    "no internet at all": [
        "browser/test_offline.py::test_no_request_leaves_the_origin",
        "browser/test_offline.py::test_the_files_name_no_other_host",
    ],
    "an overlay started before the server fills in": [
        "browser/test_live.py::test_pages_opened_before_their_server_fill_in"
    ],
    "six tabs do not block the page": ["browser/test_live.py::test_six_tabs_and_more_leave_room_for_a_throw"],
    "not enough rolls": [
        "service/test_stats.py::test_what_is_said",
        "service/test_stats.py::test_history_says_when_there_is_too_little_of_it",
    ],
    "a 0 on a D10 is 10, by camera, serial and keyboard": [
        "service/test_assign.py::test_a_zero_is_ten_on_a_d10_and_no_face_elsewhere",
        "service/test_edie_session.py::test_a_d10s_zero_is_ten",
        "browser/test_typing.py::test_what_is_typed",
    ],
    "a leaning die follows the table's rule": [
        "service/test_assign.py::test_a_cocked_die_is_thrown_again_where_the_table_has_it_so"
    ],
    "dice of the last throw are not read again": [
        "service/test_table.py::test_a_picture_sent_again_under_another_name_does_not_count_twice",
        "service/test_photographs.py::test_the_same_photograph_sent_twice_is_one_throw",
    ],
    "a value above the die's faces is refused": [
        "service/test_verbs.py::test_the_value_must_be_a_face_and_a_d10s_zero_is_ten"
    ],
    "an e-die that is silent stops no page": [
        "firmware/test_edice_served.py::test_a_port_that_says_nothing_stops_no_page"
    ],
}


@pytest.mark.parametrize("report", SHOWN_BY)
def test_each_report_has_its_tests(report: str) -> None:
    for test in SHOWN_BY[report]:
        file, _, name = test.partition("::")
        assert re.search(rf"^def {name}\(", (TESTS / file).read_text(encoding="utf-8"), re.MULTILINE), test


def values(state: Any) -> list[int | None]:
    return [slot["value"] for slot in state["attack"]["slots"]]


def test_two_players_typing_at_one_moment_each_fill_their_own_slots(client: TestClient) -> None:
    """Both throw two D8 at once, forty times over: whoever is first, no face goes to the other."""
    client.patch(f"{T}/settings", json={"order": "together"})
    attack = HKP | {"range": "close", "armour": 3}  # two D8 each
    with ThreadPoolExecutor(2) as pool:
        for n in range(40):
            assert client.post(f"{T}/attacks", json=attack).status_code == 200
            faces = {"red": [8, 7], "blue": [2, 1]}

            def throw(player: str, turn: int = n, faces: dict[str, list[int]] = faces) -> int:
                dice = [{"die": "D8", "value": value} for value in faces[player]]
                body = {"request": f"{player}-{turn}", "player": player, "dice": dice}
                return client.post(f"{T}/throws", json=body).status_code

            players = ["red", "blue"] if n % 2 else ["blue", "red"]
            assert list(pool.map(throw, players)) == [200, 200]
            assert values(client.get(T).json()) == [8, 7, 2, 1]


def test_one_photograph_of_both_players_dice_gives_each_their_own(bench: Bench, client: TestClient) -> None:
    """Thrown together into one tray, plain dice go by their owner's colour; a third player's die stays aside."""
    client.patch(f"{T}/settings", json={"order": "together", "assign_by_colour": True})
    client.post(f"{T}/players", json={"name": "Green"})
    colours = {player["id"]: player["colour"] for player in client.get(T).json()["players"]}
    seen = [("blue", 2, 0.1), ("red", 8, 0.2), ("green", 5, 0.3), ("blue", 1, 0.4), ("red", 7, 0.5)]

    def says(throw: str, player: str | None, plan: Any) -> tuple[Reading, ...]:
        return tuple(
            Reading(
                f"camera:{throw}:{n}",
                SourceKind.CAMERA,
                Die.D8,
                value,
                ReadingStatus.SURE,
                at=(x, 0.5),
                colour=colours[who],
            )
            for n, (who, value, x) in enumerate(seen)
        )

    bench.reader.says = says
    client.post(f"{T}/attacks", json=HKP | {"range": "close", "armour": 3})
    state = client.post(f"{T}/photo", files={"photo": ("tray.jpg", b"picture")}).json()
    assert values(state) == [8, 7, 2, 1]
    assert [(die["value"], "Green's die" in die["why"]) for die in state["unassigned"]] == [(5, True)]


def test_reading_the_table_in_every_way_writes_nothing(bench: Bench, client: TestClient) -> None:
    client.post(f"{T}/attacks", json=HKP)
    for request, dice in (("a", [("D8", 5), ("D6", 3)]), ("b", [("D10", 7), ("D8", 3)]), ("c", [("D10", 6)])):
        body = {"request": request, "dice": [{"die": die, "value": value} for die, value in dice]}
        state = client.post(f"{T}/throws", json=body).json()
    assert state["attack"]["outcome"]["final"] == "mobility"
    rows = list(bench.store.read("main"))
    paths = ["/", "/display/main", "/overlay/main", T, f"{T}/export", f"{T}/export?format=csv", "/readyz", "/metrics"]
    for path in paths * 3:
        assert client.get(path).status_code == 200, path
    assert client.post(f"{T}/undo", json={"confirm": False}).status_code == 200
    assert client.post("/api/v1/tables", json={"table": "main"}).json() == state
    assert list(bench.store.read("main")) == rows
