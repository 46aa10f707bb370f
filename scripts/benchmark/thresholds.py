"""What `--check` compares: counts of instructions, which do not depend on what else the machine does."""

import json

from .rows import LET_PASS
from .runs import HERE, Failure

FILE = HERE / "thresholds.json"
TRIES = 3


def load(names):
    """The highest ratio that passes, by row."""
    limits = json.loads(FILE.read_text())["ratios"]
    unknown = sorted(set(limits) - set(names))
    if unknown or not limits:
        raise Failure(f"{FILE.name} has no rows, or rows that are none: {', '.join(unknown)}; see scripts/bench --help")
    return limits


def verdict(row, limit):
    """Whether a row passes, and the line that says so."""
    if row["missing"] > LET_PASS:
        word = "frames missing"
    else:
        word = "ok" if row["ratio"] <= limit else "ABOVE"
    return word == "ok", f"{row['name']:<22}ratio {row['ratio']:.3f}   threshold {limit:.3f}   {word}"
