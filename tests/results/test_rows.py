"""The runner behind everything that has rows."""

from __future__ import annotations

import pytest

from dicelab.errors import ParameterError, PlayError
from dicelab.results.rows import Partial, each


def quiet(done, total):
    pass


def raising(error, at):
    def row(job):
        if job == at:
            raise error
        return 10 * job

    return row


def test_rows_are_in_the_order_of_the_jobs_and_progress_comes_before_each_and_at_the_end():
    told = []
    rows, ending = each([1, 2], lambda job: 10 * job, lambda done, total: told.append((done, total)))
    assert rows == [10, 20]
    assert told == [(0, 2), (1, 2), (2, 2)]
    assert ending == {"seconds": ending["seconds"], "interrupted": False, "refused": ""}
    assert 0 <= ending["seconds"] < 10


@pytest.mark.parametrize(("at", "kept"), [(1, []), (3, [10, 20])])
def test_ctrl_c_keeps_the_rows_that_were_finished(at, kept):
    rows, ending = each([1, 2, 3, 4], raising(KeyboardInterrupt(), at), quiet)
    assert rows == kept
    assert (ending["interrupted"], ending["refused"]) == (True, "")


def test_ctrl_c_in_progress_keeps_them_too():
    def stop(done, total):
        if done == 2:
            raise KeyboardInterrupt

    rows, ending = each([1, 2], lambda job: job, stop)
    assert (rows, ending["interrupted"]) == ([1, 2], True)


@pytest.mark.parametrize(("at", "kept"), [(1, ["some"]), (2, [10, "some"])])
def test_what_there_is_of_a_row_may_be_kept(at, kept):
    rows, ending = each([1, 2, 3], raising(Partial("some"), at), quiet)
    assert (rows, ending["interrupted"]) == (kept, True)


def test_an_error_after_the_first_row_ends_the_rows_and_is_told():
    rows, ending = each([1, 2, 3], raising(PlayError("wrong"), 2), quiet)
    assert (rows, ending["interrupted"], ending["refused"]) == ([10], False, "wrong")


@pytest.mark.parametrize(
    ("error", "at"), [(PlayError("wrong"), 1), (ParameterError("wrong"), 2), (ZeroDivisionError("wrong"), 2)]
)
def test_errors_in_the_first_row_in_what_was_asked_and_in_the_program_are_raised(error, at):
    with pytest.raises(type(error), match="wrong"):
        each([1, 2, 3], raising(error, at), quiet)
