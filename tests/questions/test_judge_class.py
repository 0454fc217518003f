"""The results of a class: how tables are read, verdicts with allowance, identical counts, the pooled estimate."""

from __future__ import annotations

import numpy as np
import pytest

import dicelab
from dicelab.errors import ParameterError
from dicelab.questions.judging.copies import agreement
from dicelab.questions.judging.goodness import holm, logs_of, tables_of

SEATS = "name,seed,seat 0,seat 1,seat 2"


def table(tmp_path, text):
    file = tmp_path / "pupils.csv"
    file.write_text(text, encoding="utf-8")
    return file


def judged(tmp_path, text, game="lcr", **parameters):
    return dicelab.judge_class(game, table(tmp_path, text), **({"players": 3} if game == "lcr" else {}) | parameters)


def understood(found):
    return [remark for remark in found.remarks if "not used" not in remark]


def counts(found):
    return [[row.name, *row.counts.values()] for row in found.rows]


@pytest.mark.parametrize(
    "text",
    [
        f"{SEATS}\nAnn,1,616,655,729\nBen,2,300,340,360\n",
        "pupil;0;1;2\nAnn;616;655;729\nBen;300;340;360\n",
        "who\twins 0\twins 1\twins 2\nAnn\t616\t655\t729\nBen\t300\t340\t360\n",
        "Student,seat_0 wins,seat_1 wins,seat_2 wins,room\nAnn,616,655,729,a\nBen,300,340,360,b\n",
        "first,second,third,who\n616,655,729,Ann\n300,340,360,Ben\n",
        "2,1,0,name\n729,655,616,Ann\n360,340,300,Ben\n",
        "first: from 1,Seat 1,Seat 2,Seat 3\nAnn,616,655,729\nBen,300,340,360\n",
        "first: absent;0;1;2\nAnn;616;655;729\nCem;;;\nBen;300;340;360\n",
    ],
)
def test_a_row_for_each_pupil(tmp_path, text):
    found = judged(tmp_path, text)
    assert counts(found) == [["Ann", 616, 655, 729], ["Ben", 300, 340, 360]]
    assert [row.games for row in found.rows] == [2000, 1000]
    assert bool(understood(found)) == text.startswith("first")
    assert ("columns that are not used: room" in found.remarks) == ("room" in text)


@pytest.mark.parametrize(
    "text",
    [
        "name,winner\nAnn,0\nBen,2\nAnn,1\nAnn,2\n",
        "name,Outcome\nAnn,0\nBen,2\nAnn,1\nAnn,2\n",
        "name,winner\nAnn,1\nBen,3\nAnn,2\nAnn,3\n",
        "name,0,1,2\nAnn,1,0,0\nBen,0,0,1\nAnn,0,1,0\nAnn,0,0,1\n",
    ],
)
def test_a_row_for_each_game(tmp_path, text):
    found = judged(tmp_path, text)
    assert counts(found) == [["Ann", 1, 1, 1], ["Ben", 0, 0, 1]]
    assert bool(found.remarks) == ("3" in text)


PLAIN = f"{SEATS}\nZoë,1,616,655,729\nBen,2,300,340,360\n"
FORM = (
    "Timestamp,Your name,Seed,How often did player 1 win?,Player 2?,Player 3?\n"
    "2024/05/01 9:12:33,Zoë,1,616,655,729\n2024/05/01 9:15:01,Ben,2,300,340,360\n"
)


@pytest.mark.cases(
    "content",
    [
        PLAIN.encode("utf-8-sig"),
        PLAIN.encode("utf-16"),
        PLAIN.encode("cp1252"),
        PLAIN.replace("\n", "\r\n").encode(),
        PLAIN.replace("\n", "\r").encode(),
        ("\n\n" + PLAIN.replace("\n", "\n\n") + ",,,,\n").encode(),
        ("sep=;\n" + PLAIN.replace(",", ";")).encode(),
        ("# class 9b\n" + PLAIN).encode(),
        PLAIN.replace("\n", ",,\n").encode(),
        PLAIN.replace(",", " , ").encode(),
        '"' + PLAIN.replace(",", '","').replace("\n", '"\n"').encode().decode()[:-1],
        FORM.encode(),
    ],
)
def test_a_table_is_read_as_programs_write_it(content, tmp_path_factory):
    file = tmp_path_factory.mktemp("class") / "pupils.csv"
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    assert counts(dicelab.judge_class("lcr", file, players=3)) == [["Zoë", 616, 655, 729], ["Ben", 300, 340, 360]]


@pytest.mark.cases(
    ("winners", "remark"),
    [(["Player 1", "Player 3", "player 2"], True), (["seat 0", "Seat 2", "seat 1"], False), (["0", "2", "1"], False)],
)
def test_winners_may_be_written_with_words(winners, remark, tmp_path_factory):
    text = "pupil;game;Winner\n" + "".join(f"Ann;{game};{name}\n" for game, name in enumerate(winners))
    found = judged(tmp_path_factory.mktemp("class"), text)
    assert counts(found) == [["Ann", 1, 1, 1]]
    assert bool(understood(found)) == remark


def test_the_outcome_is_recognised_by_its_words(tmp_path):
    found = judged(tmp_path, "wer,ende,throws\nAnn,win,1\nAnn,lose,3\nBen,win,2\n", "hazard")
    assert counts(found) == [["Ann", 1, 1], ["Ben", 1, 0]]
    assert [test.name for test in found.rows[0].tests] == ["outcomes", "mean of throws", "distribution of throws"]


@pytest.mark.slow
def test_means_are_compared_as_judge_does(tmp_path):
    found = judged(tmp_path, f"{SEATS},turns\nAnn,1,616,655,729,18.9\nBen,2,616,655,729,14.9\n")
    for row, mean in zip(found.rows, ("18.9", "14.9"), strict=True):
        alone = dicelab.judge("lcr", players=3, counts=[616, 655, 729], mean={"turns": mean})
        assert row.p == alone.p
    assert [row.verdict for row in found.rows] == ["consistent", "inconsistent"]
    assert judged(tmp_path, f"{SEATS},turns\nAnn,1,616,655,729,18.9\n".replace(",", ";").replace(".", ",")).rows[
        0
    ].p == (found.rows[0].p)
    only = judged(tmp_path, "name,n,mean turns,sd turns\nAnn,2000,18.9,8.1\n")
    assert only.rows[0].p == dicelab.judge("lcr", players=3, mean={"turns": "18.9"}, sd={"turns": "8.1"}, games=2000).p


@pytest.mark.slow
def test_verdicts_allow_for_the_number_of_pupils(tmp_path):
    lines = [f"P{k},{k},{500 + 3 * k},{500 - 3 * k}" for k in range(-14, 15)]
    found = judged(tmp_path, "\n".join(["name,seed,win,lose", *lines]), "hazard")
    p = [dicelab.judge("hazard", counts=list(row.counts.values())).p for row in found.rows]
    assert [row.p for row in found.rows] == p
    assert [row.adjusted for row in found.rows] == holm(p)
    assert sum(one < 0.05 for one in p) > sum(row.verdict != "consistent" for row in found.rows)


@pytest.mark.slow
def test_thirty_right_pupils_are_seldom_doubted(tmp_path):
    doubted = 0
    for lesson in range(20):
        won = np.random.default_rng(lesson).binomial(1000, 244 / 495, 30)
        lines = [f"P{k},{k},{w},{1000 - w}" for k, w in enumerate(won)]
        found = judged(tmp_path, "\n".join(["name,seed,win,lose", *lines]), "hazard")
        doubted += found.verdict != "consistent"
    assert doubted <= 4  # the chance of more, at one class in twenty, is 0.0026


@pytest.mark.slow
def test_a_mistake_is_named(tmp_path):
    found = judged(tmp_path, f"{SEATS}\nAnn,1,616,655,729\nMia,2,655,729,616\n")
    assert [row.verdict for row in found.rows] == ["consistent", "inconsistent"]
    assert found.rows[1].suspects[0].name == "players shifted by 1: your player 1 is player 2"
    assert found.pooled["0"].games == 2000
    assert "Mia" in found.text()


def test_identical_counts_are_named_unless_the_seed_is_the_same(tmp_path):
    found = judged(tmp_path, f"{SEATS}\nAnn,1,616,655,729\nBen,2,616,655,729\nCem,1,616,655,729\nDora,4,600,680,720\n")
    (one,) = found.same
    assert (one.names, one.seeds) == (["Ann", "Ben"], "different")
    assert found.pooled["0"].games == 2 * 2000  # Ann and Dora: the counts of Ben and Cem are Ann's
    assert "identical counts once" in " ".join(found.text().split())
    same_seed = judged(tmp_path, f"{SEATS}\nAnn,1,616,655,729\nBen,1,616,655,729\n")
    assert same_seed.same == []
    without = judged(tmp_path, "name,0,1,2\nAnn,616,655,729\nBen,616,655,729\n")
    assert without.same[0].seeds == "not given"


def test_counts_that_are_the_same_by_chance_are_all_pooled(tmp_path):
    lines = "".join(f"pupil {n},{n},{4 + n % 3},{6 - n % 3}\n" for n in range(30))
    found = judged(tmp_path, f"name,seed,win,lose\n{lines}", "hazard")
    assert found.pooled["win"].games == 300
    assert "identical counts once" not in " ".join(found.text().split())
    ends = [f"{name},{end}" for name in ("Ann", "Ben") for end in ("win", "lose", "lose", "win")]
    assert judged(tmp_path, "\n".join(["name,outcome", *ends]), "hazard").pooled["win"].games == 8
    ends = [f"{name},{end}" for name in ("Ann", "Ben") for end in ("win", "lose", "lose", "win") * 5]
    assert judged(tmp_path, "\n".join(["name,outcome", *ends]), "hazard").pooled["win"].games == 20


@pytest.mark.cases(("first", "counted"), [(0, [3, 2, 1]), (1, [3, 2, 1])])
def test_the_winner_of_each_game_is_found_by_what_its_column_has(first, counted, tmp_path_factory):
    rows = "".join(f"Ann,{seat + first},{20 + seat}\n" for seat in (0, 0, 0, 1, 1, 2))
    found = judged(tmp_path_factory.mktemp("class"), f"Name,Sieger,Dauer\n{rows}")
    assert list(found.rows[0].counts.values()) == counted
    assert "Sieger: taken as the winner of each game" in found.remarks
    assert "columns that are not used: Dauer" in found.remarks


def test_the_group_of_a_pupil_is_not_taken_for_a_winner(tmp_path):
    rows = "".join(f"{name},{group},{turns}\n" for group, name in enumerate("ABC", 1) for turns in (12, 20))
    found = judged(tmp_path, f"name,group,turns\n{rows}")
    assert [row.counts for row in found.rows] == [{}, {}, {}]
    found = judged(tmp_path, "name,group,mean turns,games\nAnn,1,18.5,90\nBen,2,19,90\nCem,3,18,90\n")
    assert [row.games for row in found.rows] == [90, 90, 90]


def test_the_probability_of_identical_counts_is_exact(tmp_path):
    found = judged(tmp_path, "name,seed,win,lose\nAnn,1,52,48\nBen,2,52,48\nCem,3,40,60\n", "hazard")
    p = 244 / 495
    law = np.exp(logs_of(tables_of(100, 2), 100, np.array([p, 1 - p])))
    assert found.same[0].chance == pytest.approx((law**2).sum())
    assert found.same[0].anywhere == pytest.approx(3 * (law**2).sum())
    rng = np.random.default_rng(1)
    drawn = rng.multinomial(20, [0.2, 0.3, 0.5], (200_000, 2))
    agreed = (drawn[:, 0] == drawn[:, 1]).all(axis=1).mean()
    assert agreement(20, [0.2, 0.3, 0.5], 2) == pytest.approx(agreed, abs=0.001)


def test_games_that_ended_alike_one_by_one_are_named(tmp_path):
    lines = [f"{name},{end}" for name in ("Ann", "Ben") for end in ("win", "lose", "lose", "win")]
    found = judged(tmp_path, "\n".join(["name,outcome", *lines]), "hazard")
    assert found.same[0].game_by_game
    assert "every game" in found.same[0].words
    other = [*lines[:4], "Ben,lose", "Ben,win", "Ben,lose", "Ben,win"]
    assert not judged(tmp_path, "\n".join(["name,outcome", *other]), "hazard").same[0].game_by_game


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("\n# nothing\n", "is empty"),
        ("Class 9b,,,,\nname,0,1,2,\nAnn,1,2,3,\n", "but line 1 names 1; delete a title above the names"),
        ("name,,,0,1,2\nAnn,,,1,2,3\n", "line 1 must name the columns"),
        ("name,0,1,2\n\0\n", "is not text"),
        ("name,0,1,2\n", "has no pupils"),
        ("0,1,2\n1,2,3\n", "call it name"),
        ("name,0,1\nAnn,1,2\n", "no column for the outcome '2'"),
        ("name,a,b\nAnn,1,2\n", "no columns with the counts"),
        ("name,0,1,2\nAnn,1,2,x\n", "line 2, Ann: counts: seat 2: 'x' is not allowed"),
        ("name,0,1,2\nAnn,1,2,\n", "line 2, Ann: counts"),
        ("name,0,1,2\nAnn,1,2,3\nAnn,1,2,3\n", "line 3: 'Ann' has two rows"),
        ("name,0,1,2\nAnn,0,0,0\n", "add up to 0"),
        ("name,0,1,2\n,1,2,3\n", "line 2: the name of the pupil is missing"),
        ("name,winner\nAnn,4\n", "line 2: '4' is no outcome"),
        ("name,name,0,1,2\nAnn,B,1,2,3\n", "two columns are called 'name'"),
        ("name,0,1,2\nAnn,1,2\n", "line 2 has 3 columns"),
        ("name,0,1,2\nAnn,,,\n", "has no pupils"),
        ("name,0,1,2\nAnn,1,2,3\nBen,3,2,3\nTotal,4,4,6\n", "'Total' is the sum of the others"),
        ("name,winner,turns\nAnn,0,x\n", "line 2: turns is 'x'"),
    ],
)
def test_what_is_wrong_with_a_table_is_said(tmp_path, text, said):
    with pytest.raises(ParameterError, match=said):
        judged(tmp_path, text)


def test_the_picture_has_no_names(tmp_path):
    found = judged(tmp_path, f"{SEATS}\nAnn,1,616,655,729\nMia,2,655,729,616\n")
    axes = dicelab.plot_class(found)
    texts = [text.get_text() for text in [*axes.get_xticklabels(), *axes.texts, *axes.get_legend().get_texts()]]
    assert not any("Ann" in text or "Mia" in text for text in texts)
    with pytest.raises(ParameterError, match="nothing to plot"):
        dicelab.plot_class(judged(tmp_path, "name,n,mean turns\nAnn,2000,18.9\n"))


def test_columns_of_players_are_found_by_their_numbers_in_any_language(tmp_path):
    file = tmp_path / "klasse.csv"
    file.write_bytes(
        "Schüler;Startwert;Spieler 1;Spieler 2;Spieler 3\nJörg;7;600;650;750\nÄnne;8;620;640;740\n".encode("latin-1")
    )
    answer = dicelab.judge_class("lcr", file, players=3)
    assert [(row.name, list(row.counts.values())) for row in answer.rows] == [
        ("Jörg", [600, 650, 750]),
        ("Änne", [620, 640, 740]),
    ]
    assert answer.remarks == (
        "columns: Spieler 1 to 3 are taken as the wins of the players",
        "columns that are not used: Startwert",
    )
    file.write_text("name,Dice 1,Dice 2,Dice 3,winner\nAnn,3,3,1,2\nBen,1,2,3,3\n")
    assert dicelab.judge_class("lcr", file, players=3).rows[0].counts == {"0": 0, "1": 1, "2": 0}
