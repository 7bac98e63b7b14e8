"""One connection: a scripted die speaks real lines, and the session must ask, take, acknowledge and tell."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from dicetower.model import Die, ReadingStatus, SourceKind
from dicetower.sources.edie_seen import Seen
from dicetower.sources.edie_session import EdieSession, Instant, Phase, Step
from dicetower.sources.verbs import (
    NO_UID,
    Ack,
    Arm,
    Armed,
    Ask,
    Bye,
    Commit,
    Disarm,
    Fair,
    Fault,
    Full,
    Heartbeat,
    Hello,
    Message,
    Move,
    No,
    Reveal,
    Roll,
    encode_message,
    meaning,
)
from dicetower.sources.wire import Framer, Line, encode

UID, BOOT, OTHER = "1f83d9abfb41bd6b", "5be0cd19", "a54ff53a"
HELLO = Hello("1.0", UID, BOOT, "0.1.0", "6a09e667", "por", ("btn",), 0)
BEAT = Heartbeat(BOOT, 1000, "idle", Die.D6, 0, 0, 0)
ROLL = Roll(BOOT, 17, Die.D8, 5, 41, 820, "ok", late=False, t_ms=91030)


class Rig:
    """A session, a clock and a die's sequence numbers."""

    def __init__(self, seen: Seen | None = None) -> None:
        self.session = EdieSession(seen)
        self.ms = 0
        self.seq = -1

    @property
    def now(self) -> Instant:
        return Instant(self.ms, 1_700_000_000_000 + self.ms)

    def die(self, *messages: Message) -> Step:
        raw = b""
        for message in messages:
            self.seq += 1
            raw += encode_message(self.seq, message)
        return self.session.received(raw, self.now)

    def raw(self, data: bytes) -> Step:
        return self.session.received(data, self.now)

    def tick(self, ms: int = 0) -> Step:
        self.ms += ms
        return self.session.tick(self.now)

    def arm(self, req: int = 41, die: Die = Die.D8) -> Step:
        return self.session.arm(req, die, self.now)


def met(seen: Seen | None = None) -> Rig:
    rig = Rig(seen)
    rig.tick()
    rig.die(HELLO)
    return rig


def said(step: Step) -> list[object]:
    lines = [item for raw in step.send for item in Framer().feed(raw)]
    assert all(isinstance(line, Line) for line in lines)
    return [meaning(line) for line in lines if isinstance(line, Line)]


def phase(rig: Rig) -> Phase:
    return rig.session.phase


def kinds(step: Step) -> list[str]:
    return [notice.kind for notice in step.notices]


def test_it_asks_at_once_and_every_second_until_answered() -> None:
    rig = Rig()
    assert said(rig.tick()) == [Ask()]
    assert said(rig.tick(999)) == []
    assert said(rig.tick(1)) == [Ask()]
    assert phase(rig) is Phase.OPENED
    rig.die(HELLO)
    assert phase(rig) is Phase.CONNECTED
    assert said(rig.tick(1000)) == []


def test_opened_is_never_called_connected() -> None:
    rig = Rig()
    for _ in range(20):
        rig.tick(1000)
    assert phase(rig) == "opened, not identified"
    assert rig.session.reason == "The port is open, but no e-die has answered yet."


def test_a_die_plugged_in_hours_later_connects() -> None:
    rig = Rig()
    rig.tick(5 * 3600 * 1000)
    rig.die(HELLO)
    assert phase(rig) is Phase.CONNECTED


def test_noise_is_told_as_something_that_speaks_otherwise() -> None:
    rig = Rig()
    rig.raw(b"AT\r\nATE1\r\n\xf8\x00\n$1 HELLO v=1.0\n")
    assert phase(rig) is Phase.OPENED
    assert "not as an e-die does" in rig.session.reason


def test_sequence_numbers_go_up_by_one() -> None:
    rig = met()
    sent = [*rig.arm().send, *rig.session.committed(f"edie:{UID}:17").send, *rig.session.close().send]
    assert [raw.split(b" ")[0] for raw in sent] == [b"$1", b"$2", b"$3"]


def test_a_roll_that_was_armed_is_a_sure_reading_and_acked_only_once_journalled() -> None:
    rig = met()
    rig.arm()
    step = rig.die(Armed(BOOT, 41, Die.D8), ROLL)
    (rolled,) = step.rolls
    assert step.send == ()
    reading = rolled.reading
    assert (reading.key, reading.source, reading.die, reading.value) == (f"edie:{UID}:17", SourceKind.EDIE, Die.D8, 5)
    assert (reading.status, reading.late, reading.device) == (ReadingStatus.SURE, False, UID)
    assert (reading.source_time_ms, reading.host_time_ms) == (91030, rig.now.unix_ms)
    assert reading.evidence is not None
    assert reading.evidence.startswith("$2 ROLL boot=5be0cd19 roll=17 ")
    assert (rolled.req, rolled.duration_ms, rolled.refusal) == (41, 820, "")
    assert said(rig.session.committed(reading.key)) == [Ack(BOOT, 17)]


def test_copies_are_silent_before_the_commit_and_acked_after_it() -> None:
    rig = met()
    (rolled,) = rig.die(ROLL).rolls
    assert rig.die(ROLL, ROLL) == replace(Step(), heard=(ROLL, ROLL))
    rig.session.committed(rolled.reading.key)
    step = rig.die(ROLL)
    assert (step.rolls, said(step)) == ((), [Ack(BOOT, 17)])
    assert rig.session.counts.duplicates == 3


def test_a_roll_that_did_not_reach_the_journal_comes_again() -> None:
    rig = met()
    (rolled,) = rig.die(ROLL).rolls
    rig.session.not_committed(rolled.reading.key)
    (again,) = rig.die(ROLL).rolls
    assert again.reading.key == rolled.reading.key


def test_an_unarmed_roll_and_a_roll_from_before_the_restart_are_late() -> None:
    rig = met()
    rig.arm()
    unarmed, other, old = (
        replace(ROLL, roll=1, req=0),
        replace(ROLL, roll=2, req=40),
        replace(ROLL, roll=3, late=True, t_ms=None),
    )
    assert [r.reading.late for r in rig.die(unarmed, other, old).rolls] == [True, True, True]


def test_a_second_roll_for_the_same_req_is_late() -> None:
    rig = met()
    rig.arm()
    assert [r.reading.late for r in rig.die(ROLL, replace(ROLL, roll=18)).rolls] == [False, True]


@pytest.mark.parametrize(
    ("roll", "value"),
    [(replace(ROLL, die=Die.D4, reported=6), 6), (replace(ROLL, health="adc-rct"), None)],
)
def test_a_refused_value_is_kept_as_unsure_with_its_line(roll: Roll, value: int | None) -> None:
    rig = met()
    rig.arm()
    step = rig.die(roll)
    (rolled,) = step.rolls
    assert (rolled.reading.value, rolled.reading.status) == (value, ReadingStatus.UNSURE)
    assert rolled.refusal == roll.refusal
    assert [(n.kind, n.text) for n in step.notices] == [("refused", roll.refusal)]
    assert said(rig.session.committed(rolled.reading.key)) == [Ack(BOOT, 17)]


def test_a_d10s_zero_is_ten() -> None:
    (rolled,) = met().die(replace(ROLL, die=Die.D10, reported=0)).rolls
    assert rolled.reading.value == 10


def test_gaps_in_the_numbers_are_told() -> None:
    rig = met()
    assert kinds(rig.die(ROLL)) == []
    assert [n.text for n in rig.die(replace(ROLL, roll=19)).notices] == [f"E-die {UID}: roll 18 never came."]
    assert [n.text for n in rig.die(replace(ROLL, roll=23)).notices] == [f"E-die {UID}: roll 20 to 22 never came."]


def test_what_the_dialog_of_the_e_dice_shows_is_counted() -> None:
    rig = met()
    rig.arm(41, Die.D8)
    rig.die(ROLL)
    rig.die(ROLL)  # a copy counts once
    rig.die(replace(ROLL, roll=20, req=0))
    counts = rig.session.counts
    assert (counts.rolls, counts.late_rolls, counts.missing_rolls, counts.duplicates) == (2, 1, 2, 1)
    assert rig.session.last_roll == replace(ROLL, roll=20, req=0)


def test_a_restarted_die_has_told_of_no_newest_roll_until_its_next_heartbeat() -> None:
    rig = met()
    rig.die(BEAT)
    assert rig.session.last_heartbeat == BEAT
    rig.die(replace(HELLO, boot=OTHER))
    assert rig.session.last_heartbeat is None
    rig.die(replace(BEAT, boot=OTHER))
    assert rig.session.last_heartbeat == replace(BEAT, boot=OTHER)


def test_a_roll_tells_the_newest_number_before_the_next_heartbeat_does() -> None:
    rig = met()
    rig.die(replace(ROLL, roll=3))
    assert rig.session.newest is None, "rolls that wait come in any order; only a heartbeat says where the die stands"
    rig.die(replace(BEAT, last=16), ROLL)
    assert rig.session.newest == 17
    rig.die(replace(ROLL, roll=12, late=True, t_ms=None))
    assert rig.session.newest == 17
    rig.die(replace(HELLO, boot=OTHER))
    assert rig.session.newest is None


def test_one_number_with_two_contents_loses_neither() -> None:
    rig = met()
    (first,) = rig.die(ROLL).rolls
    rig.session.committed(first.reading.key)
    step = rig.die(replace(ROLL, reported=6))
    (second,) = step.rolls
    assert kinds(step) == ["conflict"]
    assert step.send == ()
    assert second.reading.key != first.reading.key
    assert (second.reading.value, second.reading.status, second.reading.late) == (None, ReadingStatus.UNSURE, True)
    assert said(rig.session.committed(second.reading.key)) == [Ack(BOOT, 17)]


def test_arm_is_said_every_second_until_confirmed() -> None:
    rig = met()
    assert said(rig.arm()) == [Arm(BOOT, 41, Die.D8)]
    assert said(rig.tick(999)) == []
    assert said(rig.tick(1)) == [Arm(BOOT, 41, Die.D8)]
    rig.die(Armed(BOOT, 41, Die.D8))
    assert rig.session.armed_for == 41
    assert said(rig.tick(5000)) == [Ask()]  # five seconds of silence: lost, so it asks


def test_a_heartbeat_confirms_an_arm_whose_answer_was_lost() -> None:
    rig = met()
    rig.arm()
    rig.die(replace(BEAT, req=41, state="armed"))
    assert rig.session.armed_for == 41
    assert said(rig.tick(1000)) == []


def test_a_heartbeat_that_is_not_armed_brings_the_arm_again() -> None:
    rig = met()
    rig.arm()
    rig.die(Armed(BOOT, 41, Die.D8))
    rig.ms += 1000
    rig.die(BEAT)
    assert said(rig.tick()) == [Arm(BOOT, 41, Die.D8)]


def test_arming_again_for_the_same_req_says_nothing_new() -> None:
    rig = met()
    rig.arm()
    assert said(rig.arm()) == []
    assert said(rig.arm(42)) == [Arm(BOOT, 42, Die.D8)]


def test_an_arm_before_hello_waits_for_it() -> None:
    rig = Rig()
    assert said(rig.arm()) == []
    rig.tick()
    rig.die(HELLO)
    assert said(rig.tick()) == [Arm(BOOT, 41, Die.D8)]


@pytest.mark.parametrize("req", [0, -1, 2**32])
def test_a_req_is_a_32_bit_number_and_not_zero(req: int) -> None:
    with pytest.raises(ValueError, match="req: expected 1 to 4294967295"):
        met().arm(req)


def test_a_busy_die_is_asked_again_sooner() -> None:
    rig = met()
    rig.arm()
    rig.die(No(BOOT, 41, "busy"))
    assert said(rig.tick(299)) == []
    assert said(rig.tick(1)) == [Arm(BOOT, 41, Die.D8)]


def test_no_with_done_stops_arming_and_others_are_told() -> None:
    rig = met()
    rig.arm()
    assert kinds(rig.die(No(BOOT, 41, "busy"), No(BOOT, 99, "die"))) == []
    assert kinds(rig.die(No(BOOT, 41, "full"))) == ["unarmed"]
    rig.die(No(BOOT, 41, "done"))
    assert said(rig.tick(1000)) == []


def test_disarm_and_bye() -> None:
    rig = met()
    rig.arm()
    assert said(rig.session.disarm()) == [Disarm(BOOT, 41)]
    assert said(rig.session.disarm()) == []
    assert said(rig.session.close()) == [Bye(BOOT)]
    assert Rig().session.close() == Step()


def test_silence_is_lost_and_a_heartbeat_brings_it_back() -> None:
    rig = met()
    rig.tick(3499)
    assert phase(rig) is Phase.CONNECTED
    assert said(rig.tick(1)) == [Ask()]
    assert phase(rig) is Phase.LOST
    rig.die(BEAT)
    assert phase(rig) is Phase.CONNECTED


def test_a_restart_asks_again_and_an_unidentified_roll_is_not_taken() -> None:
    rig = met()
    rig.arm()
    rig.die(Armed(BOOT, 41, Die.D8))
    step = rig.die(replace(ROLL, boot=OTHER, late=True, t_ms=None))
    assert (step.rolls, said(step)) == ((), [Ask()])
    assert phase(rig) is Phase.OPENED
    rig.die(replace(HELLO, boot=OTHER, reset="ext"))
    assert said(rig.tick()) == [Arm(OTHER, 41, Die.D8)]
    (rolled,) = rig.die(replace(ROLL, boot=OTHER, late=True, t_ms=None)).rolls
    assert rolled.reading.late
    assert said(rig.session.committed(rolled.reading.key)) == [Ack(OTHER, 17)]


def test_another_die_on_the_same_port_gets_neither_ack_nor_arm_of_the_first() -> None:
    rig = met()
    rig.arm()
    (rolled,) = rig.die(ROLL).rolls
    rig.arm(42)
    rig.die(replace(BEAT, boot=OTHER))
    rig.die(replace(HELLO, uid="c0ffee00c0ffee00", boot=OTHER))
    assert said(rig.session.committed(rolled.reading.key)) == []
    assert said(rig.tick(1000)) == []


def test_a_roll_known_from_another_connection_is_acked_not_taken_twice() -> None:
    seen = Seen()
    first = met(seen)
    (rolled,) = first.die(ROLL).rolls
    first.session.committed(rolled.reading.key)
    step = met(seen).die(ROLL)
    assert (step.rolls, said(step)) == ((), [Ack(BOOT, 17)])


def test_another_major_is_refused_with_a_sentence_and_sent_nothing() -> None:
    rig = Rig()
    rig.tick()
    step = rig.raw(encode(0, "HELLO", [("v", "2.0"), ("name", "x")]))
    assert kinds(step) == ["version"]
    assert phase(rig) is Phase.REFUSED
    assert "protocol 2.0, this service 1.1" in rig.session.reason
    assert rig.arm().send == ()
    assert said(rig.tick(1000)) == [Ask()]


def test_faults_and_notices() -> None:
    rig = met()
    assert kinds(rig.die(Fault(BOOT, "adc-rct"), Fault(BOOT, "adc-rct"))) == ["fault"]
    assert phase(rig) is Phase.FAULT
    assert "adc-rct" in rig.session.reason
    assert kinds(rig.die(Full(BOOT, 16), Move(BOOT, 5, 3))) == ["full", "handling"]
    rig.die(BEAT)
    assert phase(rig) is Phase.CONNECTED
    assert "torn" in kinds(Rig().die(replace(HELLO, torn=1)))
    assert "fault" in kinds(Rig().die(replace(HELLO, uid=NO_UID)))


def test_the_dies_own_echo_of_our_lines_is_ignored() -> None:
    rig = met()
    sent = b"".join(rig.arm().send)
    assert kinds(rig.raw(sent)) == ["echo"]
    assert rig.session.armed_for == 0
    assert rig.session.counts.echoes == 1


def test_an_unreadable_line_is_told_once_and_never_acked() -> None:
    rig = met()
    bad = [encode(n, "ROLL", [("boot", BOOT), ("roll", "x")]) for n in (1, 2)]
    step = rig.raw(b"".join(bad))
    assert (step.send, step.rolls) == ((), ())
    assert kinds(step) == ["refused", "refused"]
    assert kinds(rig.raw(bad[0])) == []


def test_lost_lines_are_counted_across_the_wrap() -> None:
    rig = met()
    rig.seq = 65533
    rig.die(BEAT)
    before = rig.session.counts.lost_lines
    rig.seq = 2
    rig.die(BEAT)
    assert rig.session.counts.lost_lines - before == 4


@pytest.mark.parametrize("seed", range(20))
def test_every_roll_once_and_in_order_over_a_link_that_loses_repeats_and_garbles(seed: int) -> None:
    """A die in Python: the oldest roll again and again until its ACK gets through."""
    rng = random.Random(seed)
    rig, taken, waiting = met(), [], list(range(1, 31))
    for _ in range(2000):
        if not waiting:
            break
        raw = encode_message(rng.randrange(65536), replace(ROLL, roll=waiting[0], reported=1 + waiting[0] % 8))
        step = rig.raw(bad_link(raw, rng) * rng.choice([1, 1, 2]))
        taken += [rolled.reading for rolled in step.rolls]
        acks = [*step.send, *(raw for r in step.rolls for raw in rig.session.committed(r.reading.key).send)]
        for raw in acks:
            heard = said(Step(send=(raw,)))
            if rng.random() > 0.2 and Ack(BOOT, waiting[0]) in heard:
                waiting.pop(0)
                break
    assert waiting == []
    assert [reading.key for reading in taken] == [f"edie:{UID}:{n}" for n in range(1, 31)]
    assert [reading.value for reading in taken] == [1 + n % 8 for n in range(1, 31)]


def bad_link(raw: bytes, rng: random.Random) -> bytes:
    if rng.random() < 0.2:
        return b""
    if rng.random() < 0.2:
        at = rng.randrange(len(raw))
        raw = raw[:at] + bytes([raw[at] ^ 1 << rng.randrange(8)]) + raw[at + 1 :]
    return raw


# Fair dice.

ABLE = replace(HELLO, version="1.1", capabilities=("btn", "fair"))
COMMITTED, REVEALED, NONE = Fair(BOOT, "5b" * 32), Fair(BOOT, seed="0f" * 16), Fair(BOOT)
NONCE = "00c0ffee"


def able() -> Rig:
    rig = Rig()
    rig.tick()
    rig.die(ABLE)
    return rig


def pledged(rig: Rig, ask: type[Commit | Reveal] | None) -> list[object]:
    return said(rig.session.pledge(ask, rig.now))


def test_a_commitment_is_asked_for_every_second_until_it_is_said() -> None:
    rig = able()
    assert pledged(rig, Commit) == [Commit(BOOT)]
    assert pledged(rig, Commit) == []
    assert said(rig.tick(1000)) == [Commit(BOOT)]
    rig.die(REVEALED)  # of the last game: no answer to this
    assert rig.session.fair is None
    assert said(rig.tick(1000)) == [Commit(BOOT)]
    rig.die(COMMITTED)
    assert rig.session.fair == COMMITTED
    assert said(rig.tick(1000)) == []


@pytest.mark.parametrize("answer", [REVEALED, NONE])
def test_a_seed_is_asked_for_until_it_is_said_or_refused(answer: Fair) -> None:
    rig = able()
    pledged(rig, Commit)
    rig.die(COMMITTED)
    assert pledged(rig, Reveal) == [Reveal(BOOT)]
    rig.die(COMMITTED)
    assert said(rig.tick(1000)) == [Reveal(BOOT)]
    rig.die(answer)
    assert (rig.session.fair, said(rig.tick(1000))) == (answer, [])


def test_a_restart_is_asked_anew() -> None:
    rig = able()
    pledged(rig, Commit)
    rig.die(COMMITTED)
    rig.die(replace(ABLE, boot=OTHER))
    assert rig.session.fair is None
    assert said(rig.tick()) == [Commit(OTHER)]


def test_a_die_of_1_0_is_asked_nothing_new() -> None:
    rig = met()
    assert not rig.session.can_commit
    assert pledged(rig, Commit) == []
    assert said(rig.tick(1000)) == []


def test_a_nonce_goes_with_every_arm() -> None:
    rig = able()
    assert said(rig.session.arm(41, Die.D8, rig.now, NONCE)) == [Arm(BOOT, 41, Die.D8, NONCE)]
    assert said(rig.tick(1000)) == [Arm(BOOT, 41, Die.D8, NONCE)]
    rig.die(replace(BEAT, state="armed", req=41))  # it may be armed without the nonce
    assert said(rig.tick(1000)) == [Arm(BOOT, 41, Die.D8, NONCE)]
    rig.die(Armed(BOOT, 41, Die.D8))
    rig.die(replace(BEAT, state="armed", req=41))
    assert (said(rig.tick(1000)), rig.session.armed_for) == ([], 41)
    rig.die(replace(BEAT, req=0))
    assert said(rig.tick()) == [Arm(BOOT, 41, Die.D8, NONCE)]


@pytest.mark.parametrize(("fair", "status"), [(True, "sure"), (None, "unsure"), (False, "unsure")])
def test_a_roll_outside_its_commitment_is_left_to_a_person(fair: bool | None, status: str) -> None:
    rig = able()
    rig.session.arm(41, Die.D8, rig.now, NONCE)
    step = rig.die(Armed(BOOT, 41, Die.D8), replace(ROLL, fair=fair))
    (rolled,) = step.rolls
    assert (rolled.reading.status, rolled.reading.late) == (status, False)
    assert (rolled.refusal == "") is bool(fair)
    assert kinds(step) == ([] if fair else ["refused"])


def test_one_number_fair_and_not_fair_is_a_conflict() -> None:
    rig = able()
    rig.die(replace(ROLL, fair=True))
    assert kinds(rig.die(ROLL)) == ["conflict"]
