"""Old spellings of options and engines work for one version, with a note."""

from __future__ import annotations

import pytest

import dicelab as lab

SMALL = ["--games", "50", "--seed", "1", "--json"]


def without_seconds(text: str) -> list[str]:
    return [part for part in text.split(", ") if '"seconds"' not in part]


@pytest.mark.parametrize(
    ("old", "new", "note"),
    [
        ("simulate hazard -n 50 --seed 1 --exact", "simulate hazard -n 50 --seed 1 --with-exact", "--with-exact"),
        ("solve tossup --target 5 -s one_roll", "solve tossup --target 5 --against one_roll", "--against"),
        (
            "learn tossup --target 4 -s one_roll -n 50 --seed 1",
            "learn tossup --target 4 --against one_roll -n 50 --seed 1",
            "--against",
        ),
        (
            "session craps --until-rounds 2 --ruin 5% --of unit --seed 1",
            "session craps --until-rounds 2 --ruin 5% --find unit --seed 1",
            "--find",
        ),
        (
            "session craps --until-rounds 2 --exact -n 50 --seed 1",
            "session craps --until-rounds 2 -n 50 --seed 1",
            "what the command does anyway",
        ),
    ],
)
def test_an_old_spelling_means_the_new_one(old, new, note, dicelab):
    before, after = dicelab(*old.split(), "--json"), dicelab(*new.split(), "--json")
    assert (before.status, after.status, after.err) == (0, 0, "")
    assert before.note.endswith(f"is now {note}; the old spelling works for one more version")
    assert without_seconds(before.out) == without_seconds(after.out)


def test_both_spellings_are_one_too_many(dicelab):
    words = ["session", "craps", "--ruin", "5%", "--of", "unit", "--find", "unit"]
    assert "--find is given twice" in dicelab(*words).err


def test_old_spellings_are_in_no_help_and_no_suggestion(dicelab):
    words = dicelab("session", "--help").out.split()
    assert "--find" in words
    assert "--of" not in words
    assert "--find" in dicelab("session", "craps", "--fnd", "unit").err


@pytest.mark.parametrize(("old", "new"), [("purse", "counter"), ("turns", "turn"), ("graph", "memo")])
def test_an_engine_by_its_old_name(old, new, dicelab):
    words = ["simulate", {"purse": "craps", "turns": "tossup", "graph": "lcr"}[old], *SMALL]
    before, after = dicelab(*words, "--engine", old), dicelab(*words, "--engine", new)
    assert before.json["engine"] == after.json["engine"] == new
    assert f"engine {old} is now {new}" in before.err
    assert after.err == ""
    with pytest.warns(FutureWarning, match=f"engine {old} is now {new}"):
        lab.simulate(words[1], games=10, seed=1, engine=old)
