"""What goes wrong with serial devices at real tables: each report and the tests that bear it out.

Those that had none of their own follow.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.support.rig import Live, live, running, wait_for

from dicetower.sources import serial_ports

TESTS = Path(__file__).parents[1]
FTDI, ARDUINO, MOUSE = 0x0403, 0x2341, 0x046D
"""USB vendor numbers: two whose adapters carry Arduino boards, and one whose do not."""

SHOWN_BY = {
    "unplugged with the port open, back under another name: the same die, with nothing to click": [
        "firmware/test_edie.py::test_unplugged_and_back_under_another_name_it_is_the_same_die",
        "firmware/test_serial.py::test_the_same_die_under_another_name",
        "firmware/test_emulated.py::test_unplugged_with_rolls_waiting",
        "browser/test_edice.py::test_a_die_is_named_and_its_loss_is_told_by_whose_it_is",
    ],
    "two adapters with the same or no USB serial number: both dice are told apart": [
        "firmware/test_field_serial.py::test_adapters_with_the_same_or_no_serial_number_are_told_apart",
        "firmware/test_edie.py::test_two_dice_are_told_apart_and_armed_in_turn",
    ],
    "opening the port resets the board: a new boot id, no phantom roll": [
        "firmware/test_serial.py::test_what_nobody_asked_for_fills_no_slot",
        "firmware/test_emulated.py::test_the_id_stays_and_the_boot_changes",
        "service/test_edie_session.py::test_an_unarmed_roll_and_a_roll_from_before_the_restart_are_late",
    ],
    "boot noise at the wrong baud: no exception, no roll, in step by the next frame": [
        "firmware/test_emulated.py::test_boot_noise_and_garbage_are_no_roll_and_no_exception",
        "firmware/test_serial.py::test_a_whole_attack_in_spite_of_it",
        "service/test_wire.py::test_golden_stream",
    ],
    "a line cut in two by time is not a roll": [
        "service/test_wire.py::test_a_line_cut_by_time_is_not_a_line",
        "firmware/test_serial.py::test_a_whole_attack_in_spite_of_it",
    ],
    "the terminal echoes the die's own bytes; a modem manager sends AT: ignored": [
        "firmware/test_edie.py::test_a_terminal_that_echoes_is_no_die",
        "firmware/test_emulated.py::test_modem_probes_echo_and_framing_errors_are_ignored_by_the_die",
        "firmware/test_serial.py::test_an_echo_is_told_and_ignored",
        "service/test_edie_session.py::test_the_dies_own_echo_of_our_lines_is_ignored",
    ],
    "the port opens but nobody answers: opened, not identified, never connected": [
        "firmware/test_edie.py::test_a_port_where_nobody_answers_is_opened_not_identified",
        "service/test_edie_session.py::test_opened_is_never_called_connected",
        "firmware/test_serial.py::test_a_port_with_noise_alone_is_not_identified_until_the_die_answers",
    ],
    "a die plugged in hours later connects by itself": [
        "service/test_edie_session.py::test_a_die_plugged_in_hours_later_connects",
        "firmware/test_edie.py::test_a_die_plugged_in_later_connects_by_itself",
    ],
    "no permission on the port: the device's real group and the command that fixes it": [
        "firmware/test_edie.py::test_no_permission_names_the_devices_real_group",
    ],
    "the host holds the port and does not read: the die does not stall": [
        "firmware/test_edie.py::test_a_host_that_holds_the_port_and_does_not_read_stalls_no_die",
        "firmware/test_emulated.py::test_a_port_that_nobody_reads_stalls_nothing",
    ],
    "the die restarts in mid-session": [
        "firmware/test_emulated.py::test_a_restart_in_mid_resend_loses_nothing_and_repeats_nothing",
        "firmware/test_serial.py::test_a_roll_that_waited_through_a_restart_comes_once_and_late",
        "service/test_edie_session.py::test_a_restart_asks_again_and_an_unidentified_roll_is_not_taken",
    ],
    "old acknowledgements do not deadlock either side": [
        "firmware/test_serial.py::test_lost_acknowledgements_make_no_second_roll",
        "service/test_edie_session.py::test_another_die_on_the_same_port_gets_neither_ack_nor_arm_of_the_first",
        "firmware/test_soak_served.py::test_300_rolls_of_the_real_elf_reach_the_services_journal",
    ],
    "a die carried or picked up shows movement, never a roll that counts": [
        "firmware/test_emulated.py::test_shaking_alone_is_handling",
        "firmware/test_serial.py::test_carrying_is_no_roll",
    ],
    "a value above the die's faces is refused": [
        "service/test_edie_session.py::test_a_refused_value_is_kept_as_unsure_with_its_line",
    ],
    "0 on a D10 is 10": ["service/test_edie_session.py::test_a_d10s_zero_is_ten"],
    "blocking serial reads never stop the web page": [
        "firmware/test_edice_served.py::test_a_port_that_says_nothing_stops_no_page",
    ],
}


@pytest.mark.parametrize("report", SHOWN_BY)
def test_each_report_has_its_tests(report: str) -> None:
    for test in SHOWN_BY[report]:
        file, _, name = test.partition("::")
        assert re.search(rf"^def {name}\(", (TESTS / file).read_text(encoding="utf-8"), re.MULTILINE), test


@pytest.fixture
def two(host_program: Path, tmp_path: Path) -> Iterator[tuple[Live, Live]]:
    with ExitStack() as stack:
        made = [stack.enter_context(live([host_program], tmp_path / name)) for name in ("ttyUSB0", "ttyUSB1")]
        yield made[0], made[1]


@pytest.mark.parametrize("number", [None, "", "0001"])
def test_adapters_with_the_same_or_no_serial_number_are_told_apart(
    two: tuple[Live, Live], number: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found by `auto`, as the system lists them; a die is known by the id it says, not by its adapter's."""
    listed = [SimpleNamespace(device=str(die.link), vid=FTDI, serial_number=number) for die in two]
    monkeypatch.setattr("serial.tools.list_ports.comports", lambda: listed)
    with running(serial_ports.AUTO) as (source, journal):
        wait_for(lambda: len(source.dice()) == 2)
        assert sorted(source.dice().values()) == sorted(str(die.link) for die in two)
        for die in two:
            die.roll()
        wait_for(lambda: len(journal.throws) == 2)
        assert {throw.readings[0].device for throw in journal.throws} == set(source.dice())


def test_auto_opens_adapters_of_an_arduinos_kind_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    listed = [
        SimpleNamespace(device=device, vid=vid)
        for device, vid in (("/dev/ttyUSB1", FTDI), ("/dev/ttyACM0", ARDUINO), ("/dev/ttyS0", None), ("/dev/x", MOUSE))
    ]
    monkeypatch.setattr("serial.tools.list_ports.comports", lambda: listed)
    assert serial_ports.found([serial_ports.AUTO, "/dev/ttyS1"]) == ["/dev/ttyACM0", "/dev/ttyUSB1", "/dev/ttyS1"]
