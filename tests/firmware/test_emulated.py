"""The e-die as it runs, the core on the PC and the real ELF in the emulator, against the host's session."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.support.rig import Host, Rig, rig

from dicetower.model import Die, ReadingStatus
from dicetower.sources.edie_session import Phase
from dicetower.sources.verbs import Armed, Heartbeat, Raw, Roll, Start

Command = list[str | Path]
BYTES_OF_FLASH, BYTES_OF_RAM = 16 * 1024, 1024  # what issue and docs promise of 32 KiB and 2 KiB


@pytest.fixture
def die(program: Command) -> Iterator[Rig]:
    with rig(program) as made:
        yield made


@pytest.fixture
def host(die: Rig) -> Host:
    made = Host(die)
    made.meet()
    return made


def test_it_answers_hello_and_beats_every_second(host: Host) -> None:
    hello = host.session.hello
    assert hello
    assert (hello.version, hello.reset, hello.torn) == ("1.1", "por", 0)
    assert {"btn", "shk", "raw", "fair"} <= set(hello.capabilities)
    assert re.fullmatch("[1-9a-f][0-9a-f]{15}|0[0-9a-f]{15}", hello.uid)
    host.run(5000)
    beats = [m for m in host.heard if isinstance(m, Heartbeat)]
    assert len(beats) in (4, 5)
    assert beats[-1].state == "idle"
    assert host.session.phase is Phase.CONNECTED


def test_armed_rolled_shown_and_journalled_alike(host: Host) -> None:
    host.take(host.session.arm(41, Die.D20, host.now))
    host.run(100)
    assert host.rig.shown[-1] == " d20"
    host.press(500)
    host.run(300)
    (rolled,) = host.rolls
    assert rolled.reading.die is Die.D20
    assert host.rig.results == host.values
    assert (rolled.req, rolled.reading.late, rolled.reading.status) == (41, False, ReadingStatus.SURE)
    assert 480 <= rolled.duration_ms <= 560
    kinds = [type(m) for m in host.heard if isinstance(m, Armed | Start | Roll)]
    assert kinds[:3] == [Armed, Start, Roll]
    host.run(3000)
    assert host.session.last_heartbeat
    assert (host.session.last_heartbeat.last, host.session.last_heartbeat.unacked) == (1, 0)


def test_it_sends_again_until_the_journal_has_it(host: Host) -> None:
    host.journal = False
    host.roll(6000)
    copies = [m for m in host.heard if isinstance(m, Roll)]
    assert len(copies) >= 5
    assert len({(m.roll, m.reported) for m in copies}) == 1
    host.journal = True
    host.run(2000)
    assert host.values == host.rig.results
    heard = len(host.heard)
    host.run(5000)
    assert not [m for m in host.heard[heard:] if isinstance(m, Roll)]


@pytest.mark.parametrize("how", ["reset", "brownout"])
def test_a_restart_in_mid_resend_loses_nothing_and_repeats_nothing(host: Host, how: str) -> None:
    host.journal = False
    host.take(host.session.arm(41, Die.D8, host.now))
    host.press(500)
    host.run(500)
    host.rig.tell(how)
    host.run(50)
    host.journal = True
    host.run(4000)
    assert host.values == host.rig.results
    assert [(r.req, r.reading.late) for r in host.rolls] == [(41, True)]
    assert host.session.hello
    assert host.session.hello.reset == {"reset": "ext", "brownout": "bod"}[how]
    host.roll()
    assert host.numbers == [1, 2]
    assert host.values == host.rig.results


def test_rolls_made_with_no_host_come_late_and_in_order(die: Rig) -> None:
    die.step(1000)
    for _ in range(5):
        die.press()
        die.step(700)
    host = Host(die)
    host.meet()
    host.run(4000)
    assert host.numbers == [1, 2, 3, 4, 5]
    assert host.values == die.results
    assert all(rolled.reading.late for rolled in host.rolls)


def test_a_port_that_nobody_reads_stalls_nothing(die: Rig) -> None:
    die.step(1000)
    for _ in range(20):
        die.press()
        die.step(600)
    assert len(die.results) == 16
    assert die.shown[-1] in ("FULL", " 6:--") or "FULL" in die.shown
    host = Host(die)
    host.meet()
    host.run(8000)
    assert host.numbers == list(range(1, 17))
    assert host.values == die.results
    host.roll()
    assert host.numbers[-1] == 17


def test_unplugged_with_rolls_waiting(host: Host) -> None:
    host.journal = False
    host.roll()
    host.roll()
    host.rig.tell("unplug")
    host.run(5000)
    assert host.session.phase is Phase.LOST
    host.rig.tell("plug")
    host.opened()
    host.journal = True
    host.meet()
    host.run(4000)
    assert host.numbers == [1, 2]
    assert host.values == host.rig.results
    assert [r.reading.late for r in host.rolls] == [True, True]


def test_the_id_stays_and_the_boot_changes(host: Host) -> None:
    first = host.session.hello
    host.rig.tell("reset")
    host.run(2500)
    second = host.session.hello
    assert first
    assert second
    assert (first.uid == second.uid, first.boot == second.boot) == (True, False)


def test_boot_noise_and_garbage_are_no_roll_and_no_exception(host: Host) -> None:
    for garbage in ("f800fce0", "24fce00a", "24" * 40, "ff" * 300, "0a0d" * 5):
        host.rig.tell(f"garbage {garbage}")
        host.run(100)
    host.run(2000)
    assert host.rolls == []
    assert host.session.phase is Phase.CONNECTED
    host.roll()
    assert host.values == host.rig.results


def test_modem_probes_echo_and_framing_errors_are_ignored_by_the_die(host: Host) -> None:
    host.rig.send(b"AT\r\nAT+GMM\r\nATE1\r\n~~~\x00\xff")
    host.journal = False
    host.roll(1000)
    sent = host.rig.step(3000)
    assert b"ROLL" in sent
    host.rig.send(sent)  # its own lines back
    host.rig.tell("framing")
    host.run(1000)
    beat = host.session.last_heartbeat
    assert beat
    assert (beat.unacked, beat.last) == (1, 1)
    host.journal = True
    host.run(2500)
    assert host.values == host.rig.results


def test_a_long_press_goes_through_the_dice(host: Host) -> None:
    for expected in (" 8:--", "10:--", "12:--", "20:--", " 4:--", " 6:--"):
        host.press(900)
        host.run(100)
        assert host.rig.shown[-1] == expected
    assert host.rolls == []


def test_shaking_alone_is_handling(host: Host) -> None:
    host.take(host.session.arm(41, Die.D8, host.now))
    host.run(100)
    host.rig.tell("shake 20")
    host.run(3500)
    assert host.rolls == []
    assert "handling" in host.kinds()
    assert host.session.armed_for == 41


def test_noise_that_stops_is_a_fault_that_is_said_and_shown(host: Host) -> None:
    host.rig.tell("noise adc stuck")
    host.roll(2000)
    assert host.rig.shown[-1] == "FAIL"
    assert host.session.phase is Phase.FAULT
    assert host.session.fault == "adc-rct"
    rolled = len(host.rolls)
    host.roll(2000)
    assert len(host.rolls) == rolled


def test_raw_samples_for_analysis(host: Host) -> None:
    host.take(host.session.ask_raw("adc", 500))
    host.run(2000)
    samples = b"".join(m.samples for m in host.heard if isinstance(m, Raw))
    assert len(samples) == 500
    ones = sum(sample & 1 for sample in samples)
    assert 180 < ones < 320  # 250, and six standard deviations of 11


def test_two_runs_of_one_seed_are_the_same_to_the_byte(program: Command) -> None:
    transcripts = []
    for _ in range(2):
        with rig(program) as die:
            host = Host(die)
            host.meet()
            die.tell("link out lose=0.2 flip=0.2 repeat=0.1")
            for _ in range(3):
                host.roll(1500)
            transcripts.append(list(die.transcript))
            die.close()
    assert transcripts[0] == transcripts[1]
    assert len(transcripts[0]) > 200


def test_another_seed_rolls_otherwise(program: Command) -> None:
    uids = set()
    for seed in ("7", "8", "9"):
        with rig([*program[:-1], seed]) as die:
            host = Host(die)
            host.meet()
            assert host.session.hello
            uids.add(host.session.hello.uid)
    assert len(uids) == 3


def bad_link(command: Command, rolls: int, seed: int, resets: int) -> None:
    """Every roll the display showed is in the journal once, in order, with the value shown."""
    with rig([*command[:-1], str(seed)]) as die:
        host = Host(die)
        host.meet()
        die.tell("link out lose=0.2 flip=0.1 repeat=0.1 cut=0.05 delay=300")
        die.tell("link in lose=0.2 flip=0.1 repeat=0.1 cut=0.05 delay=300")
        while len(die.results) < rolls:
            host.roll(600)
            if resets and len(die.results) % (rolls // resets) == rolls // resets - 1:
                die.tell("reset")
                host.run(900)
        die.tell("link out")
        die.tell("link in")
        host.run(40000, slice_ms=50)
        assert host.session.last_heartbeat
        assert host.session.last_heartbeat.unacked == 0
        assert host.numbers == list(range(1, len(die.results) + 1))
        assert host.values == die.results
        assert not {"conflict", "gap"} & set(host.kinds())
        assert host.session.counts.duplicates > 0
        die.close()


def test_300_rolls_of_the_host_program_over_a_bad_link(host_program: Path) -> None:
    bad_link([host_program, "--seed", "7"], rolls=300, seed=11, resets=10)


def power_cut(command: Command, writes: int, how: str) -> None:
    """A cut in the middle of the EEPROM's `writes`th byte: what was shown arrives once; what was not may be gone."""
    with rig(command) as die:
        host = Host(die)
        host.meet()
        host.roll()
        die.tell(f"cut {writes} {how}")
        for _ in range(3):
            host.roll()
        shown = list(die.results)
        die.tell("plug")
        host.opened()
        host.meet()
        host.run(3000)
        host.roll()
        assert host.session.last_heartbeat
        assert host.session.last_heartbeat.unacked == 0
        arrived = list(host.values)
        assert host.numbers == sorted(set(host.numbers))
        assert die.results[: len(shown)] == shown
        unseen = [value for value in arrived if value not in die.results]
        assert len(arrived) - len(die.results) in (0, 1), (arrived, die.results, unseen)
        assert is_in_order(die.results, arrived)


def is_in_order(some: list[tuple[int, int]], all_: list[tuple[int, int | None]]) -> bool:
    """Whether `some` are in `all_` in the same order."""
    rest = iter(all_)
    return all(any(value == other for other in rest) for value in some)


@pytest.mark.parametrize("writes", [1, 2, 9, 17, 18, 19, 20, 25, 38])
def test_a_power_cut_in_an_eeprom_write(program: Command, writes: int) -> None:
    power_cut(program, writes, ["old", "erased", "half", "new"][writes % 4])


@pytest.mark.soak
@pytest.mark.parametrize("how", ["old", "erased", "half", "new"])
@pytest.mark.parametrize("writes", range(1, 56))
def test_power_cuts_everywhere(elf: Command, writes: int, how: str) -> None:
    power_cut(elf, writes, how)


def test_flash_and_ram_stay_within_what_is_promised(elf: Command, make: Callable[..., str]) -> None:
    printed = re.search(r"flash (\d+) bytes of 16384, RAM (\d+) bytes", make("size"))
    assert printed
    assert int(printed[1]) < BYTES_OF_FLASH
    with rig(elf) as die:
        host = Host(die)
        host.meet()
        die.tell("link in lose=0.2")
        for _ in range(20):
            host.roll()
        figures = die.figures
        assert figures["variables"] == int(printed[2])
        assert figures["variables"] + figures["stack"] < BYTES_OF_RAM
