"""Record the golden answers, or compare with them."""

from __future__ import annotations

import sys
import time

from tests.golden import store
from tests.golden.sections import SECTIONS


def main(arguments: list[str]) -> int:
    what, names = (arguments or [""])[0], arguments[1:] or [*SECTIONS]
    unknown = {*names} - {*SECTIONS}
    if what not in ("record", "compare") or unknown:
        print(f"usage: python -m tests.golden record|compare [{'|'.join(SECTIONS)} ...]")
        return 2
    known = store.load() if store.FILE.exists() else {}
    failed = False
    for name in names:
        start = time.perf_counter()
        now = store.Answers.of(SECTIONS[name]())
        took = f"{name}: {len(now)} answers in {time.perf_counter() - start:.1f} s"
        if what == "record":
            known[name] = now
            print(took)
            continue
        found = store.compare(known[name], now)
        failed |= bool(found.wrong)
        close = f", {found.close} of them not bit for bit (by {found.largest:.1e})"
        print(took, "differ" if found.wrong else "as before", close if found.close else "")
        print(*(f"  {line[:400]}" for line in found.wrong), sep="\n", end="\n" * bool(found.wrong))
    if what == "record":
        store.save({name: known[name] for name in SECTIONS if name in known})
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
