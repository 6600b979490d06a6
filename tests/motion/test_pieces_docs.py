"""The example of docs/curves.md prints what the page says."""

import re

from tests.test_docs import DOCS, example


def test_the_page_about_curves_prints_what_it_says():
    printed, names = example("curves.md")
    (said,) = re.findall(r"```text\n(.*?)```", (DOCS / "curves.md").read_text(), re.S)
    assert printed == said
    assert names["stop"].end > 0.1
