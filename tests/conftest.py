"""What holds for the whole run."""

import pytest

from standoff.compiled.jit import ENTRIES


@pytest.fixture(scope="session", autouse=True)
def kernels_are_compiled_for_one_signature_only():
    """A second one (a read-only array, an int32) would cost its user seconds of compiling."""
    yield
    twice = {
        name: [str(s) for s in dispatcher.signatures]
        for name, (dispatcher, _) in ENTRIES.items()
        if len(getattr(dispatcher, "signatures", ())) > 1
    }
    assert not twice, twice
