"""The engines answer as they did when `tests/golden/golden.npz` was written."""

import numpy as np
import pytest

from tests.golden import store
from tests.golden.sections import SECTIONS
from tests.golden.store import Answers


@pytest.fixture(scope="module")
def written():
    return store.load()


@pytest.mark.parametrize("section", SECTIONS)
def test_every_answer_is_as_it_was(written, section):
    found = store.compare(written[section], Answers.of(SECTIONS[section]()))
    assert not found.wrong, "\n".join(found.wrong)


def test_a_pair_a_number_or_an_answer_that_changed_is_found():
    before = Answers.of([("a~b", (0.1, np.nan)), ("safe", ())])
    assert store.compare(before, before) == store.Difference((), 0, 0.0)
    nearly = Answers.of([("a~b", (0.1 + 1e-16, np.nan)), ("safe", ())])
    assert store.compare(before, nearly).close == 1
    far = [("a~b", (0.1 + 1e-9, np.nan)), ("safe", ())]
    lost = [("a~b", (0.1, np.nan))]
    other = [("a~c", (0.1, np.nan)), ("safe", ())]
    number = [("a~b", (0.1, 0.0)), ("safe", ())]
    for changed in (far, lost, other, number):
        assert store.compare(before, Answers.of(changed)).wrong
