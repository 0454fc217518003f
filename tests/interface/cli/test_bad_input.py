"""Bad input of every kind gets one sentence on stderr, nothing on stdout, and exit status 2 (1 where a game fails)."""

from __future__ import annotations

import math
import shlex

import pytest

import dicelab as library
from dicelab.errors import DicelabError, InputError, ParameterError, RulesError, UnknownNameError

NO_GAME = (
    "there are: craps, craps-bet, farkle, hazard, hazard-caster, lcr, liars-dice, mia, pass-line, sealed-bids, tossup, "
    "yahtzee"
)

# What is typed after ``dicelab``, the exit status, and a part of the sentence. The files are those of `files` below.
COMMANDS = [
    # commands
    ("lisst", 2, "did you mean 'list'?"),
    ("zzz", 2, "no command 'zzz'"),
    ("''", 2, "no command ''"),
    ("--zzz", 2, "--zzz"),
    ("list extra", 2, "extra"),
    ("list --seed 1", 2, "--seed"),
    ("demo extra", 2, "extra"),
    ("check", 2, "FILE"),
    ("show", 2, "GAME"),
    ("show hazard tossup", 2, "tossup"),
    ("simulate", 2, "GAME"),
    ("simulate hazard extra", 2, "extra"),
    ("simulate --", 2, "GAME"),
    ("sim lcr", 2, "no command 'sim'; did you mean 'simulate'?"),
    ("optimal tossup", 2, "no command 'optimal'; did you mean 'solve'?"),
    ("bankrolls craps", 2, "no command 'bankrolls'; did you mean 'session'?"),
    # spellings of other programs
    ("simulate lcr -games 1000", 2, "no option '-games'; did you mean '--games'?"),
    ("simulate -seed 1 lcr", 2, "no option '-seed'; did you mean '--seed'?"),
    ("simulate lcr -players=3", 2, "no option '-players=3'; did you mean '--players=3'?"),
    ("demo -text 1", 2, "no option '-text'; did you mean '--text'?"),
    ("par hazard", 2, "no tally called money"),
    ("par craps hard8", 2, "did you mean --only hard8?"),
    ("par pass-line --html sheet.pdf", 2, "end the file's name with it"),
    ("edges craps hard8", 2, "unexpected argument 'hard8'; did you mean --only hard8?"),
    ("judge lcr results.csv", 2, "unexpected argument 'results.csv'; did you mean --file results.csv?"),
    ("exact hazard 5", 2, "unexpected argument '5'; it is written dicelab exact [OPTIONS] GAME"),
    ("simulate craps --profile vegas", 2, "no profile of craps 'vegas'; did you mean 'las_vegas'?"),
    ("simulate craps -s martingale", 2, "no strategy of craps 'martingale'; did you mean 'line:system=martingale'?"),
    (
        "simulate craps -s line:unit=10,system=martingale",
        2,
        "arguments are separated by colons: line:unit=10:system=martingale",
    ),
    ("simulate tossup -s bank_over,20", 2, "arguments are separated by colons: bank_over:20"),
    # games by name
    ("simulate hazzard", 2, "did you mean 'hazard'?"),
    ("simulate zzz", 2, NO_GAME),
    ("simulate ''", 2, NO_GAME),
    ("simulate ' '", 2, NO_GAME),
    ("simulate HAZARD", 2, "no game 'HAZARD'"),
    ("simulate 5", 2, NO_GAME),
    ("simulate -", 2, "no game '-'"),
    ("simulate 'a\nb'", 2, "no game"),
    ("show hazzard", 2, "did you mean 'hazard'?"),
    ("show hazard:lcr", 2, "no game 'hazard:lcr'"),
    # games by file
    ("simulate ./missing.py", 2, "there is no file missing.py"),
    ("simulate missing.py:tiny", 2, "there is no file missing.py"),
    ("simulate folder/missing.py", 2, "there is no file folder/missing.py"),
    ("simulate 'two\nlines.py'", 2, "there is no file"),
    ("simulate ./folder", 2, "folder is a folder"),
    ("simulate folder.py", 2, "folder.py is a folder"),
    ("simulate /", 2, "/ is a folder"),
    ("simulate empty.py", 2, "empty.py has no game"),
    ("simulate binary.py", 2, "binary.py can't be read"),
    ("simulate zeros.py", 2, "null bytes"),
    ("simulate text.py", 2, "text.py, line 1"),
    ("simulate raises.py", 2, "raises.py, line 1: ValueError: one"),
    ("simulate exits.py", 2, "exits.py, line 1"),
    ("simulate tiny.py:zzz", 2, "no game in tiny.py 'zzz'; there are: tiny"),
    ("simulate tiny.py:tinny", 2, "did you mean 'tiny'?"),
    ("show missing.py", 2, "there is no file missing.py"),
    ("check missing.py", 2, "there is no file missing.py"),
    ("lab missing.py", 2, "there is no file missing.py"),
    ("lab tossup", 2, "lab takes a file, such as ./tossup.py"),
    ("check missing.py:tiny", 2, "there is no file missing.py"),
    ("check folder.py", 2, "folder.py"),
    ("check hazard", 2, "check takes a file"),
    ("check ''", 2, "check takes a file"),
    ("check tiny.py --seconds 0", 2, "seconds: 0"),
    ("check tiny.py --seconds -1", 2, "seconds: -1"),
    ("check tiny.py --seconds nan", 2, "seconds: nan"),
    ("check tiny.py --seconds inf", 2, "seconds: inf"),
    ("check tiny.py --seconds soon", 2, "'soon'"),
    # parameters of a game
    ("simulate hazard --main 4", 2, "main: '4' is not allowed; it takes a whole number, 5 to 9"),
    ("simulate hazard --main 10", 2, "5 to 9"),
    ("simulate hazard --main -7", 2, "5 to 9"),
    ("simulate hazard --main 7.0", 2, "5 to 9"),
    ("simulate hazard --main 7e0.5", 2, "5 to 9"),
    ("simulate hazard --main seven", 2, "5 to 9"),
    ("simulate hazard --main nan", 2, "5 to 9"),
    ("simulate hazard --main inf", 2, "5 to 9"),
    ("simulate hazard --main ''", 2, "main: '' is not allowed"),
    ("simulate hazard --main=", 2, "main: '' is not allowed"),
    ("simulate hazard --main 99999999999999999999999999", 2, "5 to 9"),
    ("simulate hazard --main 1e999999999", 2, "5 to 9"),
    ("simulate hazard --main", 2, "--main"),
    ("simulate hazard --players 3", 2, "--players"),
    ("simulate hazard --mian 5", 2, "--main"),
    ("simulate hazard --strict", 2, "--strict"),
    ("simulate lcr --players 1", 2, "players: '1' is not allowed; it takes a whole number, 2 to 50"),
    ("simulate lcr --players 51", 2, "2 to 50"),
    ("simulate tossup --last-turn maybe", 2, "last_turn: 'maybe' is not allowed; it is yes or no"),
    ("simulate tossup --last-turn 2", 2, "yes or no"),
    ("simulate tossup --last-turn=''", 2, "yes or no"),
    ("simulate tossup --green 0", 2, "green must weigh more than 0"),
    ("simulate tiny.py --goal 13", 2, "2 to 12"),
    ("show hazard --main 4", 2, "5 to 9"),
    # strategies
    ("simulate hazard --strategy one_roll", 2, "hazard has no choices, so it takes no strategy"),
    ("simulate tossup --strategy one_rol", 2, "did you mean 'one_roll'?"),
    ("simulate tossup --strategy zzz", 2, "there are: bank_over, bank_over_or_win, one_roll"),
    ("simulate tossup --strategy ''", 2, "no strategy of tossup ''"),
    ("simulate tossup --strategy :20", 2, "no strategy of tossup ''"),
    ("simulate tossup --strategy", 2, "--strategy"),
    ("simulate tossup -s one_roll -s one_roll -s one_roll", 2, "tossup has 2 seats"),
    ("simulate tossup --players 3 -s one_roll -s one_roll", 2, "tossup has 3 seats"),
    ("simulate tossup -s one_roll:1", 2, "'one_roll:1': too many arguments"),
    ("simulate tossup -s bank_over:20:30", 2, "it is written bank_over:points"),
    ("simulate tossup -s bank_over:", 2, "points: '' is not allowed; it takes a whole number, 0 to 1000"),
    ("simulate tossup -s bank_over:-1", 2, "0 to 1000"),
    ("simulate tossup -s bank_over:1001", 2, "0 to 1000"),
    ("simulate tossup -s bank_over:2.5", 2, "0 to 1000"),
    ("simulate tossup -s bank_over:nan", 2, "0 to 1000"),
    # how many games
    ("simulate hazard --games 0", 2, "games: 0"),
    ("simulate hazard --games -5", 2, "games: -5"),
    ("simulate hazard --games 2.5", 2, "games: '2.5'"),
    ("simulate hazard --games many", 2, "games: 'many'"),
    ("simulate hazard --games nan", 2, "games: 'nan'"),
    ("simulate hazard --games inf", 2, "games: 'inf'"),
    ("simulate hazard --games ''", 2, "games: ''"),
    ("simulate hazard --games 1e-3", 2, "games: '1e-3'"),
    ("simulate hazard --games 1e999999999", 2, "games: '1e999999999'"),
    ("simulate hazard --games 1__0", 2, "games: '1__0'"),
    ("simulate hazard --games", 2, "--games"),
    ("simulate hazard --precision 0", 2, "precision: 0"),
    ("simulate hazard --precision -0.1", 2, "precision: -0.1"),
    ("simulate hazard --precision nan", 2, "precision: nan"),
    ("simulate hazard --precision inf", 2, "precision: inf"),
    ("simulate hazard --precision -inf", 2, "precision: -inf"),
    ("simulate hazard --precision 1e999", 2, "precision: inf"),
    ("simulate hazard --precision fine", 2, "precision: 'fine'"),
    ("simulate hazard --precision ''", 2, "precision: ''"),
    ("simulate hazard --games 10 --precision 0.1", 2, "not both"),
    ("simulate hazard --on throws", 2, "precision"),
    ("simulate hazard --games 10 --on throws", 2, "precision"),
    ("simulate hazard --precision 0.1 --on throw", 2, "did you mean 'throws'?"),
    ("simulate hazard --precision 0.1 --on loose", 2, "did you mean 'lose'?"),
    ("simulate hazard --precision 0.1 --on ''", 2, "there are: lose, throws, win"),
    ("simulate hazard-caster --precision 0.1", 2, "hazard-caster has tallies only"),
    # how they are played
    ("simulate hazard --seed -1", 2, "seed: -1 is not allowed; it takes a whole number, 0 to 18446744073709551615"),
    ("simulate hazard --seed 18446744073709551616", 2, "0 to 18446744073709551615"),
    ("simulate hazard --seed 0.5", 2, "seed: '0.5'"),
    ("simulate hazard --seed nan", 2, "seed: 'nan'"),
    ("simulate hazard --seed ''", 2, "seed: ''"),
    ("simulate hazard --seed x", 2, "seed: 'x'"),
    ("simulate hazard --threads 0", 2, "threads: 0 is not allowed; it takes a whole number, 1 to 1024"),
    ("simulate hazard --threads -2", 2, "1 to 1024"),
    ("simulate hazard --threads 1025", 2, "1 to 1024"),
    ("simulate hazard --threads 99999999999999999999", 2, "1 to 1024"),
    ("simulate hazard --threads 1.5", 2, "threads: '1.5'"),
    ("simulate hazard --threads ''", 2, "threads: ''"),
    (
        "simulate hazard --engine fast",
        2,
        "engine: 'fast' is not allowed; it is auto, table, counter, turn, memo, lockstep, compiled, reference or cuda",
    ),
    ("simulate hazard --engine ''", 2, "auto, table, counter, turn, memo, lockstep, compiled, reference or cuda"),
    ("simulate hazard --engine Compiled", 2, "auto, table, counter, turn, memo, lockstep, compiled, reference or cuda"),
    ("simulate hazard --limit 0", 2, "limit: 0"),
    ("simulate hazard --limit -1", 2, "limit: -1"),
    ("simulate hazard --limit x", 2, "limit: 'x'"),
    ("simulate hazard --json=yes", 2, "--json"),
    # exact: what is asked of a game is the same
    ("exact", 2, "GAME"),
    ("exact hazzard", 2, "did you mean 'hazard'?"),
    ("exact ./missing.py", 2, "there is no file missing.py"),
    ("exact empty.py", 2, "empty.py has no game"),
    ("exact text.py", 2, "text.py, line 1"),
    ("exact hazard --main 4", 2, "main: '4' is not allowed; it takes a whole number, 5 to 9"),
    ("exact hazard --mian 5", 2, "--main"),
    ("exact hazard --games 10", 2, "--games"),
    ("exact hazard --seed 1", 2, "--seed"),
    ("exact hazard --precision 0.1", 2, "--precision"),
    ("exact hazard --fraction", 2, "--fractions"),
    ("exact hazard --fractions=yes", 2, "--fractions"),
    ("exact hazard extra", 2, "extra"),
    ("exact hazard --strategy one_roll", 2, "hazard has no choices, so it takes no strategy"),
    ("exact tossup --strategy one_rol", 2, "did you mean 'one_roll'?"),
    ("exact tossup -s bank_over:x", 2, "points: 'x'"),
    ("exact tossup -s one_roll -s one_roll -s one_roll", 2, "tossup has 2 seats"),
    ("exact hazard --threads 0", 2, "threads: 0 is not allowed; it takes a whole number, 1 to 1024"),
    ("exact narrow.py --goal 12 -s stop_at:12", 1, "points = 9 is outside its declared range 0 to 8"),
    # compare
    ("compare", 2, "GAME"),
    ("compare tossup", 2, "compare takes two or more different strategies"),
    ("compare tossup -s one_roll", 2, "compare takes two or more different strategies"),
    ("compare tossup -s one_roll -s one_roll", 2, "compare takes two or more different strategies"),
    ("compare tossup -s one_roll -s one_rol", 2, "did you mean 'one_roll'?"),
    ("compare tossup -s one_roll -s bank_over:x", 2, "points: 'x'"),
    ("compare tossup -s one_roll -s me", 2, "no strategy of tossup 'me'"),
    ("compare hazard -s one -s other", 2, "hazard has no choices, so it takes no strategy"),
    ("compare hazzard -s one -s other", 2, "did you mean 'hazard'?"),
    ("compare tossup -s one_roll -s bank_over --on 0", 2, "on is for games of one seat; tossup has 2"),
    ("compare tossup -s one_roll -s bank_over --on turns --exact", 2, "on is for games of one seat; tossup has 2"),
    ("compare tossup -s one_roll -s bank_over --players 9", 2, "2 to 8"),
    ("compare tossup -s one_roll -s bank_over --games 0", 2, "games: 0"),
    ("compare tossup -s one_roll -s bank_over --games x", 2, "games: 'x'"),
    ("compare tossup -s one_roll -s bank_over --seed -1", 2, "seed: -1 is not allowed"),
    ("compare tossup -s one_roll -s bank_over --threads 0", 2, "threads: 0"),
    ("compare tossup -s one_roll -s bank_over --exact --memory x", 2, "memory: 'x' is not an amount of memory"),
    ("compare tossup -s one_roll -s bank_over --exact --memory 100K", 1, "tossup: the chain does not fit into 0.1 MiB"),
    ("compare tossup -s one_roll -s bank_over --precision 0.1", 2, "--precision"),
    ("compare tiny.py -s stop_at:5 -s stop_at:6 --on wn", 2, "did you mean 'win'?"),
    ("compare tiny.py -s stop_at:5 -s stop_at:6 --on zzz", 2, "there are: lose, throws, win"),
    ("compare tiny.py -s stop_at:5 -s stop_at:6 --on throw --exact", 2, "did you mean 'throws'?"),
    ("compare narrow.py --goal 12 -s stop_at:12 -s stop_at:11 --exact", 1, "points = 9"),
    # sweep
    ("sweep", 2, "GAME"),
    ("sweep hazard", 2, "over: give the values to sweep, such as --over players=2..12"),
    ("sweep hazard --over", 2, "--over"),
    ("sweep hazard --over main", 2, "over: 'main' is not allowed; it is written NAME=FIRST..LAST"),
    ("sweep hazard --over ''", 2, "over: '' is not allowed"),
    ("sweep hazard --over main=", 2, "over: 'main=' is not allowed"),
    ("sweep hazard --over =5..9", 2, "over: '=5..9' is not allowed"),
    ("sweep hazard --over main=5..", 2, "it is written main=FIRST..LAST, main=FIRST..LAST..STEP or main=A,B,C"),
    ("sweep hazard --over main=5..x", 2, "over: 'main=5..x' is not allowed"),
    ("sweep hazard --over main=9..5", 2, "over: 'main=9..5' has no values; it goes up from the first to the last"),
    ("sweep hazard --over main=5..9..0", 2, "by a step above 0"),
    ("sweep hazard --over main=5..9..-1", 2, "by a step above 0"),
    ("sweep hazard --over main=0..1e9", 2, "over: 'main=0..1e9' has more than 10,000 values"),
    ("sweep tossup --over target=1..1000 --over bank_over=0..100", 2, "a sweep has at most 10,000 points"),
    ("sweep hazard --over main=4..9", 2, "main: 4 is not allowed; it takes a whole number, 5 to 9"),
    ("sweep hazard --over main=5,10", 2, "main: 10 is not allowed"),
    ("sweep hazard --over mian=5..9", 2, "no parameter or strategy of hazard 'mian'; did you mean 'main'?"),
    ("sweep hazard --over throws=1..2", 2, "no parameter or strategy of hazard 'throws'; there are: main"),
    ("sweep hazard --over main=5 --over main=6", 2, "over: the same name is given twice"),
    ("sweep lcr --over players=2 --over coins=1 --over dice=1", 2, "a sweep goes over one or two things, not 3"),
    ("sweep hazard --over main=5..9 --main 7", 2, "main can't be both given and swept"),
    ("sweep hazard --over main=5..9 -s one", 2, "hazard has no choices, so it takes no strategy"),
    ("sweep hazzard --over main=5..9", 2, "did you mean 'hazard'?"),
    ("sweep lcr --over players=1..3 --exact", 2, "players: 1 is not allowed; it takes a whole number, 2 to 50"),
    ("sweep tossup --over bank_over=0..60..20 -s one_roll", 2, "no seat plays bank_over without arguments"),
    ("sweep tossup --over bank_over=0..60..20 -s bank_over:5", 2, "write --strategy bank_over for each seat"),
    (
        "sweep tossup --over bank_over.point=5 -s bank_over",
        2,
        "no argument of bank_over 'point'; did you mean 'points'",
    ),
    ("sweep tossup --over one_roll=5 -s one_roll", 2, "one_roll has 0 arguments"),
    ("sweep tossup --over bank_over=1001 -s bank_over", 2, "points: 1001 is not allowed"),
    ("sweep tossup --over players=2..3 -s one_roll -s one_roll", 2, "tossup has 3 seats"),
    ("sweep tossup --over last_turn=no,perhaps", 2, "last_turn: 'perhaps' is not allowed; it is yes or no"),
    ("sweep lcr --over players=2..3 --solve-for 0", 2, "it is written FIGURE=X"),
    ("sweep lcr --over players=2..3 --solve-for 0=half", 2, "solve-for: 'half' is not a number"),
    ("sweep lcr --over players=2..3 --solve-for trns=5", 2, "did you mean 'turns'?"),
    ("sweep lcr --over players=2..3 --solve-for gap=0.1", 2, "gap: estimates have no interval of it"),
    ("sweep lcr --over players=2..3 --over coins=1..2 --solve-for 0=0.3", 2, "goes over one name"),
    ("sweep lcr --over players=2..3 --precision 0.1 --solve-for 0=0.3", 2, "--precision can't be used with"),
    ("sweep lcr --over players=2..3 --plot x.svg --of 0 --solve-for 0=0.3", 2, "--of can't be used with"),
    ("sweep tossup --over target=5..6 -s best --games 10", 2, "games is for simulations only"),
    ("sweep tossup --players 3 --over target=5..6 -s best -s best -s one_roll", 2, "best: give it for one seat"),
    ("sweep craps --over bankroll=5..6 -s best", 2, "best: the outcomes of craps are not the seats that win"),
    ("exact hazard --csv --json", 2, "give --json or --csv, not both"),
    ("exact lcr --csv --given turns --histogram turns", 2, "--csv prints one table"),
    ("sweep tossup --over last_turn=0..2", 2, "last_turn: 2 is not allowed; it is yes or no"),
    ("sweep tossup --over green=0..1", 2, "green must weigh more than 0"),
    ("sweep hazard --over main=5..9 --games 0", 2, "games: 0"),
    ("sweep hazard --over main=5..9 --games 10 --precision 0.1", 2, "not both"),
    ("sweep hazard --over main=5..9 --on throws", 2, "precision"),
    ("sweep hazard --over main=5..9 --seed x", 2, "seed: 'x'"),
    ("sweep hazard --over main=5..9 --threads 0", 2, "threads: 0"),
    ("sweep hazard --over main=5..9 --exact --memory 0", 2, "memory: '0' is not an amount of memory"),
    ("sweep lcr --over players=4,5 --exact --memory 100K", 1, "lcr: the chain does not fit into 0.1 MiB"),
    ("sweep hazard --over main=5..9 --json --csv", 2, "give --json or --csv, not both"),
    ("sweep hazard --over main=5..9 --of win", 2, "give --plot FILE as well"),
    ("sweep hazard --over main=5..9 --plot a.jpg", 2, "a picture is saved as .svg, .png or .pdf"),
    ("sweep hazard --over main=5..9 --plot none/a.svg", 2, "there is no folder none"),
    ("sweep narrow.py --over stop_at=12 --goal 12 --exact", 1, "points = 9"),
    # play
    ("play tossup -s me -s me -s me --hint", 2, "tossup has 2 seats"),
    ("play hazard -s me", 2, "hazard has no choices"),
    ("play tossup --seed x", 2, "seed: 'x'"),
    ("play hazzard --hint", 2, "did you mean 'hazard'?"),
    # demo
    ("demo --plot a.jpg", 2, "a picture is saved as .svg, .png or .pdf"),
    ("demo --plot none/a.svg", 2, "there is no folder none"),
    # a game that is right and goes wrong when played
    ("simulate hazard --seed 1 --limit 1", 1, "not over after 1 rolls and choices"),
    ("simulate narrow.py --seed 1", 1, "points = "),
]


@pytest.fixture
def files(tmp_path, monkeypatch, tiny):
    """A folder with files of many kinds, which is where one stands."""
    tiny("Int(0, 30", "Int(0, 8")
    (tmp_path / "tiny.py").rename(tmp_path / "narrow.py")
    tiny()
    for folder in ("folder", "folder.py"):
        (tmp_path / folder).mkdir()
    for name, content in {
        "empty.py": b"",
        "binary.py": bytes(range(128, 256)),
        "zeros.py": b"x = 1\0\n",
        "text.py": b"Dear reader, this is a letter.\n",
        "raises.py": b'raise ValueError("one\\ntwo")\n',
        "exits.py": b"raise SystemExit(0)\n",
    }.items():
        (tmp_path / name).write_bytes(content)
    monkeypatch.chdir(tmp_path)


@pytest.mark.slow
@pytest.mark.quick
@pytest.mark.usefixtures("files")
@pytest.mark.cases(("command", "status", "sentence"), COMMANDS, ids=[case[0] or "(nothing)" for case in COMMANDS])
def test_bad_input_gets_one_sentence(dicelab, command, status, sentence):
    dicelab(*shlex.split(command)).must_refuse(status, sentence)


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("command", ["simulate hazzard --json", "simulate hazard --json --games 0", "show zzz --json"])
def test_bad_input_gets_no_json(dicelab, command):
    dicelab(*command.split()).must_refuse(2, "")


@pytest.mark.quick_cases("reference-limit")
@pytest.mark.parametrize("option", ["games", "limit"])
@pytest.mark.parametrize("engine", ["compiled", "reference"])
def test_a_number_too_large_for_any_computer_is_refused(shell, option, engine):
    command = ["simulate", "hazard", "--engine", engine, f"--{option}", "9" * 30]
    command += ["--games", "10"] if option == "limit" else []
    shell(*command, timeout=15).must_refuse(2, f"{option}: {'9' * 30}")


# Library calls: what is given beside the game hazard, the error, and a part of the sentence.
CALLS = [
    ({"games": True}, ParameterError, "games: True is not allowed; it takes a whole number, at least 1"),
    ({"games": 0}, ParameterError, "games: 0"),
    ({"games": 10.0}, ParameterError, "games: 10.0"),
    ({"games": math.nan}, ParameterError, "games: nan"),
    ({"games": "10"}, ParameterError, "games: '10'"),
    ({"games": [10]}, ParameterError, "games: [10]"),
    ({"games": 10, "precision": 0.1}, ParameterError, "not both"),
    ({"precision": 0}, ParameterError, "precision: 0"),
    ({"precision": True}, ParameterError, "precision: True"),
    ({"precision": math.nan}, ParameterError, "precision: nan"),
    ({"precision": math.inf}, ParameterError, "precision: inf"),
    ({"precision": "0.1"}, ParameterError, "precision: '0.1'"),
    ({"on": "throws"}, ParameterError, "precision"),
    ({"on": "throw", "precision": 0.1}, UnknownNameError, "did you mean 'throws'?"),
    ({"on": 5, "precision": 0.1}, InputError, "5"),
    ({"seed": "x"}, ParameterError, "seed: 'x'"),
    ({"seed": True}, ParameterError, "seed: True"),
    ({"seed": 1.0}, ParameterError, "seed: 1.0"),
    ({"seed": -1}, ParameterError, "seed: -1"),
    ({"seed": 2**64}, ParameterError, "seed: 18446744073709551616"),
    ({"threads": 0}, ParameterError, "threads: 0"),
    ({"threads": True}, ParameterError, "threads: True"),
    ({"threads": "2"}, ParameterError, "threads: '2'"),
    ({"engine": "fast"}, ParameterError, "engine: 'fast'"),
    ({"engine": None}, ParameterError, "engine: None"),
    ({"limit": 0}, ParameterError, "limit: 0"),
    ({"limit": 1e6}, ParameterError, "limit: 1000000.0"),
    ({"main": 4}, ParameterError, "main: 4 is not allowed; it takes a whole number, 5 to 9"),
    ({"main": 7.0}, ParameterError, "main: 7.0"),
    ({"main": True}, ParameterError, "main: True"),
    ({"main": None}, ParameterError, "main: None"),
    ({"main": "x"}, ParameterError, "main: 'x'"),
    ({"main": [7]}, ParameterError, "main: [7]"),
    ({"main": math.nan}, ParameterError, "main: nan"),
    ({"mian": 7}, UnknownNameError, "did you mean 'main'?"),
    ({"players": 3}, UnknownNameError, "no parameter of hazard 'players'"),
    ({"strategies": "one_roll"}, ParameterError, "takes no strategy"),
    ({"strategies": 5}, InputError, "5"),
    ({"game": "hazzard"}, UnknownNameError, "did you mean 'hazard'?"),
    ({"game": ""}, UnknownNameError, "no game ''"),
    ({"game": "missing.py"}, UnknownNameError, "there is no file missing.py"),
    ({"game": "a\0b.py"}, UnknownNameError, "there is no file"),
    ({"game": 5}, InputError, "5"),
    ({"game": None}, InputError, "None"),
    ({"game": int}, InputError, "int"),
    ({"game": library.Game}, DicelabError, "Game"),
    ({"game": "tossup", "strategies": ["one_roll"] * 3}, ParameterError, "tossup has 2 seats"),
    ({"game": "tossup", "strategies": "bank_over:x"}, ParameterError, "points: 'x'"),
    ({"game": "tossup", "strategies": [None]}, InputError, "None"),
    ({"game": "tossup", "last_turn": 2}, ParameterError, "last_turn: 2 is not allowed; it is yes or no"),
    ({"game": "tossup", "last_turn": None}, ParameterError, "last_turn: None"),
]


@pytest.mark.cases(("given", "error", "sentence"), CALLS, ids=[str(case[0]) for case in CALLS])
def test_bad_calls_raise_an_error_of_dicelab(given, error, sentence):
    given = {"game": "hazard", "engine": "reference", **({} if "precision" in given else {"games": 10}), **given}
    with pytest.raises(error) as raised:
        library.simulate(**given)
    assert sentence in str(raised.value)
    assert "\n" not in str(raised.value)


# The same of dicelab.exact; of compare and sweep in their own tests.
QUESTIONS = [
    ({"memory": -1}, ParameterError, "memory: -1 is not allowed; it takes a whole number of bytes, at least 1"),
    ({"memory": 0}, ParameterError, "memory: 0"),
    ({"memory": "1G"}, ParameterError, "memory: '1G'"),
    ({"memory": math.nan}, ParameterError, "memory: nan"),
    ({"memory": math.inf}, ParameterError, "memory: inf"),
    ({"memory": 1e9}, ParameterError, "memory: 1000000000.0"),
    ({"memory": True}, ParameterError, "memory: True"),
    ({"threads": 0}, ParameterError, "threads: 0"),
    ({"threads": "2"}, ParameterError, "threads: '2'"),
    ({"threads": 1025}, ParameterError, "threads: 1025"),
    ({"main": 4}, ParameterError, "main: 4 is not allowed; it takes a whole number, 5 to 9"),
    ({"mian": 7}, UnknownNameError, "did you mean 'main'?"),
    ({"games": 10}, UnknownNameError, "no parameter of hazard 'games'"),
    ({"seed": 10}, UnknownNameError, "no parameter of hazard 'seed'"),
    ({"strategies": "one_roll"}, ParameterError, "takes no strategy"),
    ({"strategies": 5}, InputError, "5"),
    ({"game": "hazzard"}, UnknownNameError, "did you mean 'hazard'?"),
    ({"game": "missing.py"}, UnknownNameError, "there is no file missing.py"),
    ({"game": 5}, InputError, "5 is not a game"),
    ({"game": None}, InputError, "None is not a game"),
    ({"game": library.Game}, InputError, "is not a game"),
    ({"game": "tossup", "strategies": ["one_roll"] * 3}, ParameterError, "tossup has 2 seats"),
    ({"game": "tossup", "strategies": [None]}, InputError, "None"),
]


@pytest.mark.cases(("given", "error", "sentence"), QUESTIONS, ids=[str(case[0]) for case in QUESTIONS])
def test_bad_questions_for_exact_raise_an_error_of_dicelab(given, error, sentence):
    with pytest.raises(error) as raised:
        library.exact(**{"game": "hazard", **given})
    assert sentence in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("given", [{"fractions": "no"}, {"fractions": 3}])
def test_fractions_are_yes_no_or_none(given):
    with pytest.raises(ParameterError, match="fractions"):
        library.exact("hazard", **given)


def test_memory_may_be_a_number_of_numpy():
    numpy = pytest.importorskip("numpy")
    assert library.exact("hazard", memory=numpy.int64(10**9)).states == 7


@pytest.mark.parametrize("ask", [library.simulate, library.exact])
def test_results_refuse_questions_about_tallies_that_they_do_not_have(ask):
    result = ask("hazard", **({"games": 10} if ask is library.simulate else {}))
    with pytest.raises(UnknownNameError, match="no tally of hazard 'throw'; did you mean 'throws'"):
        result.given("throw")
    with pytest.raises(ParameterError, match="width: 0"):
        result.given("throws", 0)
    caster = ask("hazard-caster", losses=1, **({"games": 10} if ask is library.simulate else {}))
    with pytest.raises(ParameterError, match="hazard-caster has no outcomes, only tallies"):
        caster.given("rounds")


# Where --exact makes an option meaningless, it should say so.
@pytest.mark.parametrize(
    "command",
    [
        "compare tiny.py -s stop_at:5 -s stop_at:6 --exact --games 5",
        "sweep hazard --over main=5,6 --exact --games 5",
        "sweep hazard --over main=5,6 --exact --precision 0.1",
        "sweep hazard --over main=5,6 --exact --precision 0.1 --on throws",
    ],
)
@pytest.mark.usefixtures("files")
def test_what_exact_answers_have_no_use_for_is_refused(dicelab, command):
    dicelab(*command.split()).must_refuse(2, "exact")


def test_a_parameter_of_one_letter_takes_no_short_option_away(dicelab, tiny):
    path = tiny("    goal = ", '    n = Param(1, 1, 3, "a letter")\n    g = Param(1, 1, 3, "another")\n    goal = ')
    said = dicelab("simulate", path, "-n", "7", "--n", "2", "--seed", "1", "--engine", "reference")
    assert not said.status
    assert "tiny: n 2" in said.out
    assert "7 games, seed 1" in said.out
    dicelab("simulate", path, "-g", "7").must_refuse(2, "no option '-g'; did you mean '--g'?")


def test_a_wrong_option_is_compared_with_options_only(dicelab):
    assert "'game'" not in dicelab("exact", "hazard", "--games", "5").err


def test_a_file_that_breaks_the_contract_is_an_error_of_its_own(tmp_path):
    (tmp_path / "empty.py").touch()
    with pytest.raises(RulesError, match="has no game"):
        library.find(str(tmp_path / "empty.py"))


@pytest.mark.parametrize(
    "given",
    [{"main": "7"}, {"seed": "1"}, {"precision": 1}, {"strategies": ()}, {"strategies": []}, {"threads": None}],
    ids=str,
)
def test_what_looks_odd_and_is_fine(given):
    given = {"engine": "reference", "seed": 1, **({} if "precision" in given else {"games": 10}), **given}
    assert library.simulate("hazard", **given).games > 0


@pytest.mark.parametrize("name", ["games", "seed", "threads", "limit", "main"])
def test_the_whole_numbers_of_numpy_are_whole_numbers(name):
    numpy = pytest.importorskip("numpy")
    given = {"games": 10, "seed": 1, name: numpy.int64(7)}
    result = library.simulate("hazard", engine="reference", **given)
    assert (result.games, type(result.games)) == (given["games"], int)
    assert '"seed": ' in result.to_json()
