"""What e-dice are asked of their commitments, and what comes of every answer and of none."""

from __future__ import annotations

from collections.abc import Sequence

from dicetower.model import Die, Pledge
from dicetower.sources.fair import commitment_of, nonce_of, value_of
from dicetower.sources.pledges import PATIENCE_MS, Pledges
from dicetower.sources.verbs import Commit, Fair, Reveal, Roll

UID, OTHER, BOOT = "00c0ffee00c0ffee", "00aa00aa00aa00aa", "5be0cd19"
SEED, SECRET = "0f" * 16, "f0" * 16
COMMITTED = Fair(BOOT, commitment_of(SEED))


class Table:
    """A book that keeps all, and counts."""

    def __init__(self) -> None:
        self.fair, self.kept, self.rolled = True, list[Pledge](), list[Roll]()

    def wants_fair(self) -> bool:
        return self.fair

    def pledges(self) -> Sequence[Pledge]:
        return list({pledge.uid: pledge for pledge in self.kept}.values())

    def committed(self, pledge: Pledge) -> None:
        self.kept.append(pledge)

    def ended(self, pledge: Pledge) -> None:
        self.kept.append(pledge)

    def rolls(self, pledge: Pledge) -> Sequence[Roll]:
        return self.rolled

    def states(self) -> list[str]:
        return [pledge.state.value for pledge in self.kept]


class Game:
    def __init__(self) -> None:
        self.table, self.now_ms = Table(), 0
        self.pledges = Pledges(self.table, lambda: self.now_ms, lambda: SECRET)

    def committed(self) -> Game:
        assert self.pledges.ask(UID, COMMITTED) is Commit
        return self

    def over(self) -> Game:
        self.table.fair = False
        assert self.pledges.ask(UID, None) is Reveal
        return self


def roll(number: int, req: int, value: int | None = None) -> Roll:
    mine = value_of(SEED, req, nonce_of(SECRET, req), Die.D8) if value is None else value
    return Roll(BOOT, number, Die.D8, mine, req, 500, "ok", late=False, fair=True)


def test_a_table_that_does_not_play_fair_asks_nothing() -> None:
    game = Game()
    game.table.fair = False
    assert game.pledges.ask(UID, None) is None
    assert game.pledges.may_roll(UID)
    assert game.pledges.nonce(UID, 41) is None


def test_no_die_is_armed_before_it_has_committed() -> None:
    game = Game()
    assert game.pledges.ask(UID, None) is Commit
    assert not game.pledges.may_roll(UID)
    game.committed()
    assert game.pledges.may_roll(UID)
    assert game.pledges.nonce(UID, 41) == nonce_of(SECRET, 41)
    assert not game.pledges.may_roll(OTHER)


def test_a_commitment_said_again_is_kept_once() -> None:
    """After a reset, or a restart of the service: a new connection, and the same digits."""
    game = Game().committed().committed()
    assert Pledges(game.table, lambda: 0).ask(UID, COMMITTED) is Commit
    assert game.table.states() == ["stands"]


def test_a_die_that_lost_its_seed_says_so_and_it_is_kept() -> None:
    game = Game().committed()
    assert game.pledges.ask(UID, Fair(BOOT, "5b" * 32)) is Commit
    assert game.table.states() == ["stands", "void", "stands"]
    assert "Its rolls cannot be checked" in game.table.kept[1].text


def test_the_seed_is_asked_for_at_the_end_and_every_roll_checked() -> None:
    game = Game().committed()
    game.table.rolled = [roll(1, 41), roll(2, 42)]
    game.over()
    assert game.pledges.ask(UID, Fair(BOOT, seed=SEED)) is Reveal
    assert game.table.states() == ["stands", "verified"]
    assert (game.table.kept[-1].seed, game.table.kept[-1].secret) == (SEED, SECRET)
    assert game.pledges.ask(UID, Fair(BOOT, seed=SEED)) is None


def test_a_bad_roll_is_broken_and_named() -> None:
    game = Game().committed()
    game.table.rolled = [roll(1, 41), roll(2, 42, roll(2, 42).reported % 8 + 1)]
    game.over().pledges.ask(UID, Fair(BOOT, seed=SEED))
    assert game.table.states() == ["stands", "broken"]
    assert game.table.kept[-1].text.startswith("Roll 2, a D8")


def test_a_refused_reveal_is_kept() -> None:
    game = Game().committed().over()
    game.pledges.ask(UID, Fair(BOOT))
    assert game.table.states() == ["stands", "refused"]


def test_a_reveal_that_never_comes_is_kept_when_its_time_is_over() -> None:
    game = Game().committed().over()
    game.now_ms = PATIENCE_MS - 1
    assert game.pledges.ask(UID, None) is Reveal
    assert game.table.states() == ["stands"]
    game.now_ms = PATIENCE_MS
    game.pledges.ask(UID, None)
    assert game.table.states() == ["stands", "unanswered"]
    assert "30 seconds" in game.table.kept[-1].text


def test_the_time_runs_for_a_die_that_was_put_away() -> None:
    game = Game().committed()
    game.table.fair = False
    game.pledges.wait_for_others(())
    game.now_ms = PATIENCE_MS
    game.pledges.wait_for_others((UID,))
    assert game.table.states() == ["stands"]
    game.pledges.wait_for_others(())
    assert game.table.states() == ["stands", "unanswered"]


def test_a_game_that_goes_on_after_all_has_its_whole_time_when_it_ends() -> None:
    game = Game().committed().over()
    game.now_ms, game.table.fair = PATIENCE_MS - 1, True
    game.pledges.wait_for_others((UID,))
    game.over()
    game.now_ms += PATIENCE_MS - 1
    game.pledges.ask(UID, None)
    assert game.table.states() == ["stands"]


def test_a_seed_that_is_known_is_never_played_by_again() -> None:
    game = Game().committed().over()
    game.pledges.ask(UID, Fair(BOOT, seed=SEED))
    game.table.fair = True
    assert game.pledges.ask(UID, COMMITTED) is Reveal
    assert not game.pledges.may_roll(UID)
    assert game.pledges.ask(UID, Fair(BOOT, seed=SEED)) is Commit
    assert game.pledges.ask(UID, Fair(BOOT, "5b" * 32)) is Commit
    assert game.table.states() == ["stands", "verified", "stands"]


def test_an_unanswered_one_may_go_on_for_nobody_knows_its_seed() -> None:
    game = Game().committed().over()
    game.now_ms = PATIENCE_MS
    game.pledges.ask(UID, None)
    game.table.fair = True
    game.committed()
    assert game.table.states() == ["stands", "unanswered", "stands"]


def test_each_commitment_has_a_secret_of_its_own() -> None:
    table = Table()
    pledges = Pledges(table, lambda: 0)
    for uid in (UID, OTHER):
        pledges.ask(uid, COMMITTED)
    assert len({pledge.secret for pledge in table.kept}) == 2
    assert {len(pledge.secret) for pledge in table.kept} == {32}
