"""Playing in the browser: a game is an address, the coach knows the values, the review adds up."""

from __future__ import annotations

import json
import re
import time
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

import dicelab
from asking import printed, untimed
from dicelab.errors import TooLarge
from dicelab.interface.cli.main import app
from dicelab.interface.lab.work.play import _choices, play, prepare, reviewed
from dicelab.interface.lab.work.process import GameRequest
from dicelab.interface.lab.work.sitting import loaded, solve
from dicelab.interface.play.asking.people import question_of
from dicelab.limits import limited
from dicelab.questions.policies.skill.by_turns import TurnValues, kept_values
from dicelab.questions.policies.solving import kept_solutions
from support import GAMES, ROOT

GAME = "/games/tossup/play?target=6&dice=3&seed=3"


def shown(client: TestClient, address: str) -> str:
    """A page; asked for again while the game is being solved."""
    for _ in range(200):
        page = client.get(address)
        assert page.status_code == 200, page.text
        if 'id="solving"' not in page.text:
            return page.text
    raise AssertionError("the game is not solved")


def moves(page: str) -> dict[str, str]:
    """The addresses of the moves on a page, by their words."""
    found = re.findall(
        r'<a class="button[^"]*" href="([^"]+)" data-(?:key|picks)="[^"]*"[^>]*>(?:<kbd>\w</kbd>)?([\w ]+)', page
    )
    return {words.strip(): unescape(address) for address, words in found}


def to_the_end(client: TestClient, address: str) -> tuple[str, str]:
    """Play by always taking the first move; the last address, and its page."""
    for _ in range(300):
        page = shown(client, address)
        if 'class="result"' in page:
            return address, page
        address = next(iter(moves(page).values()))
    raise AssertionError("the game has no end")


def test_each_legal_move_is_a_link_with_a_key(client: TestClient) -> None:
    page = shown(client, GAME)
    assert [*moves(page)] == ["roll", "bank"]
    assert 'data-key="1"' in page
    assert 'aria-label="green"' in page


@pytest.mark.slow
def test_players_that_look_ahead_take_a_seat(client: TestClient) -> None:
    """Their moves are those of the command: the game goes on to its end with `one_roll` in the first seat."""
    asked = "strategy=one_roll&strategy=search:1:5"
    page = shown(client, f"/games/tossup/play?target=4&dice=3&seed=3&{asked.replace('one_roll', 'me')}")
    for _ in range(20):
        if 'class="result"' in page:
            break
        page = shown(client, moves(page)["bank"])
    assert "search:1:5" in page
    assert 'class="result"' in page
    answer = client.get(f"/games/tossup/simulate.json?target=4&dice=3&seed=3&games=5&{asked}").json()
    same = dicelab.simulate("tossup", ["one_roll", "search:1:5"], target=4, dice=3, seed=3, games=5)
    assert answer["outcomes"]["0"]["count"] == same.tallied.counts[0]
    refused = client.get(f"/games/tossup/exact.json?target=4&{asked}")
    assert "search tries moves out, which only games of a seed allow" in refused.json()["error"]


@pytest.mark.slow
def test_the_coach_of_a_game_that_can_not_be_solved_estimates(client: TestClient, limits) -> None:
    """It says why, and how; and bets nothing on an objective that it doesn't estimate."""
    limits(job_bytes=1000)
    address = "/games/tossup/play?target=7&dice=3&seed=3&coach=before"
    page = shown(client, address)
    assert "The coach estimates. Each move shows: chance to win, estimated to ± " in page
    assert "by 1,000 games after each move in which all players follow bank_over:20" in page
    assert len(re.findall(r'class="worth">0\.\d{3}', page)) == 2
    assert page.count(" best</span>") == 1
    page = shown(client, address.replace("before", "after") + "&moves=1")  # 0 points are banked
    assert re.search(r"Your last move, bank, cost \d+\.\d\d points of winning chance; better was: roll\.", page)
    assert "The coach estimates: chance to win, estimated to ± " in page
    assert 'class="worth"' not in page
    page = shown(client, f"{address}&objective=win")
    assert "No coach: " in page
    assert 'class="worth"' not in page


def test_the_coach_estimates_while_the_game_is_solved(client: TestClient) -> None:
    """What moves are worth is there at once, marked as estimates; the exact values take their place."""
    address = "/games/tossup/play?target=9&dice=2&seed=3&coach=before"
    with limited(coach_seconds=0.0, estimate_seconds=60.0):
        page = client.get(address).text
    assert 'id="solving"' in page
    assert "The coach estimates. Each move shows: chance to win, estimated to ± " in page
    assert "Exact values take their place when the game is solved." in page
    assert len(re.findall(r'class="worth">0\.\d{3}', page)) == 2
    page = shown(client, address)
    assert "estimate" not in page
    assert "Your chance to win: 0." in page
    assert len(re.findall(r'class="worth">0\.\d{3}', page)) == 2


def test_the_review_of_a_game_that_can_not_be_solved_is_by_estimates(client: TestClient, limits) -> None:
    """Every value says so; nothing of it goes to the page with accuracies, because nobody knows the best moves."""
    limits(job_bytes=1000)
    address = "/games/tossup/review?target=7&dice=3&seed=3&moves=1,1"
    page = shown(client, address)
    assert "decisions" in page
    assert "by estimates; the dice" in page
    assert "Estimates: each value is known to ± 0.03" in page
    assert "1,000 games that bank_over:20 plays on for all players. Exact values are not known: " in page
    assert "data-kept" not in page
    found = client.get(address.replace("review?", "review.json?")).json()
    assert found["by"] == "bank_over:20"
    assert "does not fit" in found["unsolved"]
    for result, start, luck, cost, given in zip(
        *(found[k] for k in ("result", "start", "luck", "costs", "given")), strict=True
    ):
        assert result == pytest.approx(start + luck - cost + given)
    limits(answer_seconds=60.0)  # however slow the machine
    assert "does not fit" in client.get(f"{address}&objective=win").text


@pytest.mark.slow
def test_a_game_that_was_too_large_is_not_tried_again(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("DICELAB_CACHE_DIR", str(tmp_path))
    asked = GameRequest(called="tossup", parameters={"target": "7", "dice": "3"}, strategies=[])
    with pytest.raises(TooLarge, match="does not fit"):
        solve(Sent(), asked, str(tmp_path / "values.npz"), 1000)
    (kept,) = kept_solutions()
    assert kept.kind == "too-large"
    kept.path.write_text("it was too large before")
    with pytest.raises(TooLarge, match="it was too large before"):
        solve(Sent(), asked, str(tmp_path / "values.npz"), 1000)
    solve(Sent(), asked, str(tmp_path / "values.npz"), 1 << 30)
    assert {one.kind for one in kept_solutions()} == {"too-large", "values"}


def test_the_coach_of_who_chooses_at_the_same_time_estimates_and_does_not_see_what_others_chose(tmp_path: Path) -> None:
    """Two people at sealed bids: the second one's estimates are the same whatever the first has bid."""
    asked = GameRequest(called="sealed-bids", parameters={}, strategies=["me", "me"])
    said, wire = [], Sent()
    for bid in (1, 3):
        play(wire, asked, "3", [[bid]], None, "before", None, look=True, estimated=True)
        said.append(wire.said["table"])
    assert said[0]["seat"] == 1
    assert said[0]["coach"]["worth"] == said[1]["coach"]["worth"]
    assert "what others have chosen now is taken to be the same half of the time" in said[0]["coach"]["estimate"]


def test_the_state_is_what_people_play_by(client: TestClient) -> None:
    """Without flags that say what is asked next, whose turn it is, and seats that are nobody, as at the terminal."""
    page = shown(client, GAME)
    board = re.sub("<[^>]*>", " ", page.partition('<div class="lying">')[2].partition('<ul class="moves"')[0])
    assert board.split()[:5] == ["scores", "you", "0", "player", "2"]
    assert "points of this turn  1" in re.sub(r"\s+", "  ", board).replace(
        "points  of  this  turn", "points of this turn"
    )
    assert not re.search("rolled|over:? [01]|leader", board)


def test_a_game_shows_the_board_that_it_declares_its_rules_and_what_a_move_scores(client: TestClient) -> None:
    page = shown(client, GAME)
    assert "<dt>you</dt><dd>0</dd>" in page
    assert "points of this turn" in page
    assert re.search(r"bank \(\+\d+\)", page)
    assert "<strong>Goal.</strong> Bank 6 points before the others do." in page


def test_boxes_of_a_score_sheet_are_clicked_by_name(client: TestClient) -> None:
    page = shown(client, "/games/yahtzee/play?seed=1&coach=off&moves=2.1.0.0.1.1")
    assert "full house" in page
    assert "small straight" in page
    assert "filled" not in page.partition("<details")[0]


def test_a_game_is_the_same_whenever_its_address_is_asked_for(client: TestClient) -> None:
    address, page = to_the_end(client, GAME)
    assert shown(client, address) == page
    back = moves(page)["Take back"]
    assert 'class="result"' not in shown(client, back)


def test_the_coach_gives_the_value_of_each_move(client: TestClient) -> None:
    page = shown(client, f"{GAME}&coach=before")
    worth = [float(number) for number in re.findall(r'class="worth">([0-9.]+)', page)]
    assert len(worth) == 2
    assert page.count(" best</span>") == 1
    assert f"Your chance to win: {max(worth):.3f}" in page


def test_the_coach_is_prepared_before_it_is_asked_where_the_values_are_kept(client: TestClient) -> None:
    kept_values(dicelab.find("tossup")(target=5, dice=2))
    address = "/games/tossup?target=5&dice=2"
    shown(client, address.replace("?", "/play?") + "&seed=3")
    answers = client.app.state.lab.answers  # type: ignore[attr-defined]
    for _ in range(1000):
        if answers.find(f"prepared values 0 {address}").ended:
            break
        time.sleep(0.02)
    assert answers.find(f"prepared values 0 {address}").said["kept"]
    assert answers.find(f"values 0 {address}") is None
    assert "Your chance to win" in shown(client, address.replace("?", "/play?") + "&seed=3&coach=before")
    assert answers.find(f"values 0 {address}").job.task == "known"


def test_no_game_is_solved_to_prepare_its_coach(tmp_path: Path) -> None:
    wire, asked = Sent(), GameRequest(called="tossup", parameters={"target": "7", "dice": "5"}, strategies=[])
    prepare(wire, asked, "3", [], str(tmp_path / "none.npz"))
    assert wire.said == {}
    assert not [*tmp_path.iterdir()]


def test_the_coach_marks_the_fewest_where_few_are_wanted(client: TestClient) -> None:
    page = shown(client, "/games/farkle/play?players=1&target=300&objective=fewest:turns&seed=3&coach=before")
    worth = [float(number) for number in re.findall(r'class="worth">([0-9.]+)', page)]
    assert min(worth) < max(worth)
    assert {float(number) for number in re.findall(r'class="worth">([0-9.]+) best', page)} == {min(worth)}
    assert "Your expected turns: " in page
    moved = next(iter(moves(page).values())).replace("coach=before", "")
    reviewed = shown(client, moved.replace("/play", "/review")).replace("\n", "")
    data = client.get(moved.replace("/play", "/review.json")).json()
    (start,), (luck,), (costs,), (result,) = (data[name] for name in ("start", "luck", "costs", "result"))
    assert result == pytest.approx(start + luck + costs)
    assert costs >= 0
    assert f'<td class="n">{result:.2f}</td></tr>' in reviewed
    assert "fewer is better here" in reviewed


def test_the_coach_says_afterwards_what_a_move_cost(client: TestClient) -> None:
    before = shown(client, f"{GAME}&coach=before")
    worth = dict(re.findall(r"(roll|bank)(?: \(\+\d+\))? <span class=\"worth\">([0-9.]+)", before))
    worse = min(worth, key=lambda word: float(worth[word]))
    after = shown(client, moves(shown(client, f"{GAME}&coach=after"))[worse])
    cost = 100 * abs(float(worth["roll"]) - float(worth["bank"]))
    told = re.search(r"cost ([0-9.]+) points", after)
    assert told is not None
    assert float(told[1]) == pytest.approx(cost, abs=0.12), "the values have three digits"


def test_the_optimal_policy_plays_and_its_decisions_cost_nothing(client: TestClient) -> None:
    address, page = to_the_end(client, f"{GAME}&strategy=me&strategy=best")
    assert "optimal policy" in page
    shown(client, address.replace("/play", "/review"))
    found = client.get(address.replace("/play", "/review.json")).json()
    assert found["costs"][1] == 0
    assert found["over"]
    for k in range(2):
        total = found["start"][k] + found["luck"][k] - found["costs"][k] + found["given"][k]
        assert found["result"][k] == pytest.approx(total, abs=1e-12)


def test_the_review_names_the_mistakes_and_leads_back_to_them(client: TestClient) -> None:
    address, _ = to_the_end(client, GAME)
    page = shown(client, address.replace("/play", "/review"))
    assert re.search(r"(Your decisions|No decision) cost", page)
    links = [unescape(link) for link in re.findall(r'<a href="([^"]+)">Try from here', page)]
    assert links
    for link in links:
        assert 'class="worth"' in shown(client, link)
    own = re.findall(r">you: ", page)
    assert own
    assert len(re.findall(r'<a href="[^"]+">try from here', page)) == len(own)


def test_the_browser_keeps_how_well_a_finished_game_was_played(client: TestClient) -> None:
    address, _ = to_the_end(client, GAME)
    review = address.replace("/play", "/review")
    data = client.get(review.replace("review?", "review.json?")).json()
    own = [step["cost"] for step in data["steps"] if step["kind"] != "throw" and step["seat"] == 0]
    found = re.search(r'data-kept="([^"]+)"', shown(client, review))
    assert found is not None
    kept = json.loads(unescape(found[1]))
    assert (kept["decisions"], kept["cost"]) == (len(own), pytest.approx(data["costs"][0]))
    assert kept["best"] == sum(cost < 1e-5 for cost in own)
    assert [puzzle["cost"] for puzzle in kept["puzzles"]] == sorted(own, reverse=True)[: len(kept["puzzles"])]
    for puzzle in kept["puzzles"]:  # it leads to where the worse move can be made again
        page = shown(client, puzzle["address"])
        assert puzzle["move"] in moves(page)
        assert puzzle["better"] in moves(page)
    assert "data-kept" not in shown(client, review.rpartition(",")[0])  # the game is not over


def test_a_game_without_choices_is_rolled_by_hand(client: TestClient) -> None:
    address, page = to_the_end(client, "/games/lcr/play?players=3&seed=1")
    assert "wins." in page
    assert client.get(address.replace("/play", "/simulate.json").partition("&moves")[0] + "&games=1").status_code == 200


def test_many_moves_are_typed(client: TestClient) -> None:
    game = "/games/craps/play?seed=1"
    assert "type a bet (pass 10), or press Enter to roll" in shown(client, game)
    bet = client.get(f"{game}&say=pass+10", follow_redirects=False)
    assert bet.status_code == 303
    address = bet.headers["location"]
    assert "pass 10" in shown(client, address)
    rolled = client.get(f"{address}&say=", follow_redirects=False)
    assert 'class="die"' in shown(client, rolled.headers["location"])
    assert 'role="alert"' in client.get(f"{game}&say=nonsense").text


@pytest.mark.parametrize("typed", ["say=nonsense", f"say={'x' * 300}", f"say=pass+{'9' * 300}"])
def test_what_is_not_understood_is_answered_at_the_table_in_the_words_of_a_browser(
    client: TestClient, typed: str
) -> None:
    page = client.get(f"/games/craps/play?seed=1&{typed}")
    assert page.status_code == 200
    assert 'id="felt"' in page.text
    answers = re.findall(r'role="alert">([^<]*)<', page.text)
    assert len(answers) == 1
    assert len(answers[0]) < 200
    for key in ("?", "q to quit", "lists them"):
        assert key not in answers[0]


@pytest.mark.parametrize("what", ["bet", "amount"])
def test_a_click_with_a_value_that_is_too_long_does_not_lose_the_table(client: TestClient, what: str) -> None:
    query = {"bet": "pass", "amount": "10"} | {what: "x" * 300}
    page = client.get("/games/craps/play?seed=1", params={"seed": "1", **query})
    assert page.status_code == 200
    assert 'id="felt"' in page.text


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("moves=7", "moves: move 1 is not allowed"),
        ("moves=x", "moves: they are written as numbers"),
        ("coach=always", "coach: &#39;always&#39; is not allowed"),
        ("strategy=me&strategy=nobody", "no strategy of tossup &#39;nobody&#39;"),
        ("seed=minus", "seed: &#39;minus&#39; is not allowed"),
    ],
)
def test_mistakes_in_addresses_are_explained(client: TestClient, query: str, words: str) -> None:
    address = f"/games/tossup/play?target=6&dice=3&{query}" + ("" if "seed=" in query else "&seed=3")
    response = client.get(address)
    assert response.status_code in (400, 404)
    assert words in response.text


@pytest.mark.parametrize("game", ["tossup/play?target=6&dice=3&strategy=one_roll&seed=3", "lcr/play?players=3&seed=1"])
def test_a_game_without_people_is_shown_step_by_step(client: TestClient, game: str) -> None:
    address, seen = f"/games/{game}", []
    for _ in range(300):
        page = shown(client, address)
        seen.append(page)
        following = re.search(r'href="([^"]+)" data-key="1" data-also="Enter" data-next', page)
        if following is None:
            break
        assert 'id="pace"' in page
        address = unescape(following[1])
    assert 'class="result"' in seen[-1]
    assert address.endswith(f"moves={len(seen) - 1}")
    at_once = shown(client, moves(seen[0])["To the end"])
    assert 'class="result"' in at_once
    assert moves(at_once)["Take back"] == f"/games/{game}&moves={len(seen) - 2}"


def test_numbers_at_the_end_have_separators_as_at_the_terminal(client: TestClient) -> None:
    page = client.get("/games/farkle/play?strategy=bank_at:300&strategy=bank_at:300&seed=5&moves=10000").text
    assert re.search(r"points banked by all 1\d,\d{3}, turns \d+", page)


@pytest.mark.slow
def test_a_game_is_saved_as_the_command_does_and_reviewed_alike(client: TestClient, tmp_path: Path) -> None:
    query = "target=6&dice=3&strategy=one_roll&strategy=bank_over:5&seed=3"
    words = ["--target", "6", "--dice", "3", "-s", "one_roll", "-s", "bank_over:5", "--seed", "3"]
    file, given = tmp_path / "game.json", tmp_path / "tossup.json"
    CliRunner().invoke(app, ["play", "tossup", *words, "--save", str(file)])
    given.write_text(client.get(f"/games/tossup/play.json?{query}").text)
    assert given.read_text() == file.read_text()
    reviewed = untimed(client.get(f"/games/tossup/review.json?{query}").json())
    assert reviewed == printed("review", str(given))
    assert "dicelab review tossup.json" in shown(client, f"/games/tossup/review?{query}")


def test_a_game_that_is_not_over_is_saved_up_to_its_next_choice(client: TestClient) -> None:
    found = client.get(f"{GAME.replace('/play', '/play.json')}&moves=0").json()
    assert found["seats"] == ["me", "bank_over:20"]
    assert [*found["moves"][0]] == ["roll"]
    assert found["moves"][1] == {"seat": 1, "choice": "roll"}
    assert "result" not in found


def test_seats_in_moves_are_counted_from_1_as_in_all_that_people_see() -> None:
    game = GAMES["targets"]()
    decision = game.declared.decisions[0]
    assert decision.name == "aim"
    listed = _choices(game, decision, question_of(game, decision))["choices"]
    assert {tuple(choice["move"]): choice["words"] for choice in listed} == {(1, 1): "1 2", (2, 1): "2 2"}


class Sent:
    """In place of the connection of a worker: keeps what it sends."""

    def __init__(self) -> None:
        self.said: dict[str, Any] = {}

    def send(self, **message: Any) -> None:
        """Keep a message."""
        self.said |= message


PLAYED = [
    ("farkle", {"target": "300"}, ["me", "best"], None),
    ("yahtzee", {"boxes": "3"}, ["me"], "most:score"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "parameters", "seats", "objective"), PLAYED, ids=["farkle", "yahtzee"])
def test_large_games_are_coached_and_reviewed_turn_by_turn(
    name: str,
    parameters: dict[str, str],
    seats: list[str],
    objective: str | None,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """The same as with the values of all states; a game is played by always taking the first move."""
    monkeypatch.setenv("DICELAB_SOLUTIONS", "0")
    asked = GameRequest(called=name, parameters=parameters, strategies=seats)
    said: dict[bool, Any] = {}
    for by_turns in (False, True):
        file, wire = str(tmp_path / f"{by_turns}.npz"), Sent()
        with limited(**{"many_with_policy": 0} if by_turns else {}):
            solve(wire, asked, file, 1 << 30, objective)
        assert isinstance(loaded(file, dicelab.find(name)(**parameters)), TurnValues) == by_turns
        made: list[list[int]] = []
        for _ in range(4):
            play(wire, asked, "3", made, None, "before", file)
            made.append(wire.said["table"]["choices"][0]["move"])
        reviewed(wire, asked, "3", made, file)
        said[by_turns] = wire.said["table"]["coach"], wire.said["amount"], wire.said["review"]
    whole, turns = said[False], said[True]
    assert turns[1] == whole[1] == ("" if objective is None else "score")
    assert turns[0]["line"] == pytest.approx(whole[0]["line"])
    assert turns[0]["worth"] == pytest.approx(whole[0]["worth"])
    assert turns[2]["costs"] == pytest.approx(whole[2]["costs"], abs=1e-9)
    assert len(turns[2]["steps"]) == len(whole[2]["steps"])


@pytest.mark.slow
def test_the_coach_of_a_game_for_points_tells_points(client: TestClient) -> None:
    game = "/games/yahtzee/play?boxes=3&seed=1"
    assert "Your expected score:" in shown(client, f"{game}&coach=before")
    page = shown(client, f"{game}&coach=before&objective=most:score")
    assert "Your expected score:" in page
    assert page.count(" best</span>") >= 1
    address, page = to_the_end(client, f"{game}&coach=after&objective=most:score")
    review = shown(client, address.replace("/play", "/review"))
    assert "Your expected score" in review
    assert "winning chance" not in review
    assert "dicelab review yahtzee.json --objective most:score" in review


def test_a_game_with_payoffs_has_a_coach(tmp_path: Path) -> None:
    """Seat 0 of four, whose team-mate and one opponent play the optimal policy."""
    file, wire = str(tmp_path / "values.npz"), Sent()
    asked = GameRequest(
        called=str(ROOT / "examples/relay.py"), parameters={}, strategies=["me", "keep_from", "best", "best"]
    )
    solve(wire, asked, file, 1 << 30)
    play(wire, asked, "3", [], None, "before", file)
    coach = wire.said["table"]["coach"]
    assert coach["amount"] == "payoff"
    assert coach["line"][0] == pytest.approx(dicelab.solve(GAMES["relay"]).value)
    assert max(coach["worth"]) == pytest.approx(coach["chance"])
