"""Ten thousand spoilt cell files: each gives a cell or an error of ours, and nothing else."""

import random
import re

import pytest

import standoff as so

SAMPLE = """standoff = 1
[[robot]]
name = "arm"
urdf = "builtin:arm7"
geometry = "auto"
base = { position = [0.0, 0.5, 0.0], quaternion = [1.0, 0.0, 0.0, 0.0] }
[[robot.swap]]
link = "link2"
geometry = "capsules"
"""
BODIES = """standoff = 1
[[body]]
name = "floor"
shape = { halfspace = {} }
[[body]]
name = "ball"
shape = { sphere = { radius = 0.1 } }
pose = { position = [0.1, 2, 3], rpy = [0.1, 0, 0] }
moving = true
[[body]]
name = "wedge"
shape = { polyhedron = { vertices = [[0,0,0],[1,0,0],[0,1,0],[0,0,1]] } }
pose = { matrix = [[1,0,0,0],[0,1,0,0],[0,0,1,0],[0,0,0,1]] }
[[body]]
name = "sheet"
shape = { mesh = { vertices = [[0,0,0],[1,0,0],[0,1,0]], faces = [[0,1,2]] } }
[[body]]
name = "pill"
shape = { capsule = { radius = 0.1, length = 1 } }
[[allow]]
pair = ["ball", "wedge"]
reason = "why not"
[state]
"""
VALUES = [
    "nan",
    "inf",
    "-1",
    "0",
    "1e400",
    "''",
    "[]",
    "{}",
    "true",
    "99999999999999999999",
    "1e-320",
]


def spoil(text, rng):
    kind = rng.randrange(7)
    if kind == 0:
        i = rng.randrange(len(text))
        return text[:i] + chr(rng.choice([0, 10, 34, 61, 91, 93, 125, 0x2028, 65])) + text[i + 1 :]
    if kind == 1:
        i = rng.randrange(len(text))
        return text[:i] + text[i + rng.randrange(1, 30) :]
    if kind == 2:
        lines = text.splitlines(keepends=True)
        i = rng.randrange(len(lines))
        lines.insert(rng.randrange(len(lines)), lines[i])
        return "".join(lines)
    numbers = list(re.finditer(r"(?<![\w.])-?\d+(\.\d+)?", text))
    if kind in (3, 4) and numbers:
        hit = rng.choice(numbers)
        return text[: hit.start()] + rng.choice(VALUES) + text[hit.end() :]
    words = list(re.finditer(r"\b[a-z]{3,}\b", text))
    if not words:
        return text
    hit = rng.choice(words)
    if kind == 5:
        return text[: hit.start()] + rng.choice(words).group() + text[hit.end() :]
    return text[: rng.randrange(len(text))]


def test_ten_thousand_spoilt_cell_files_raise_only_our_errors(tmp_path):
    rng = random.Random(2)
    path = tmp_path / "cell.toml"
    outcomes = {"read": 0, "refused": 0}
    for i in range(10_000):
        text = SAMPLE if i % 50 == 0 else BODIES
        for _ in range(rng.choice((1, 1, 2, 5))):
            text = spoil(text, rng) or " "
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        try:
            so.Cell.load(path)
            outcomes["read"] += 1
        except so.Error as error:
            outcomes["refused"] += 1
            assert "cell.toml" in str(error)
        except Exception as error:  # pragma: no cover - this is the finding
            pytest.fail(f"{type(error).__name__}: {error}\n{text}")
    assert min(outcomes.values()) > 500, outcomes
