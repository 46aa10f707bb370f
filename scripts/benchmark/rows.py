"""What a line of the table is, and how its cases take turns."""

import dataclasses
import statistics
import sys

from .runs import Failure

LET_PASS = 0.03
PEERS = ("C", "Python", "OpenCV", "camerabin")


@dataclasses.dataclass
class Row:
    """One line of the table: a case, the case it is compared with, and what has to be reached.

    `why` is the reason why it may not be met. `case` and `floor` name values of the group. `peers` says which value each peer is judged by. What is compared is
    the ratio of the two, or their difference, or, without a floor, the value itself.
    """

    name: str
    work: str
    unit: str
    case: str
    floor: str | None = None
    must: float | None = None
    goal: float | None = None
    about: str = ""
    scale: float = 1.0
    peers: dict = dataclasses.field(default_factory=dict)
    differs: bool = False
    why: str = ""

    def compared(self, values, floors):
        if floors is None:
            return [value * self.scale for value in values]
        if self.differs:
            return [(value - floor) * self.scale for value, floor in zip(values, floors)]
        return [value / floor for value, floor in zip(values, floors)]


class Group:
    """Cases that are measured in turns, and the rows that come of them.

    A case returns one number, or several by name: a row finds those as `case.name`. `peers` are cases that may fail,
    as where they are not installed. `delivered` has the shares of frames that came through, by case.
    """

    def __init__(self, rows, cases, peers=None, delivered=None):
        self.rows, self.cases, self.peers, self.delivered = rows, cases, peers or {}, delivered or {}

    def measure(self, rounds, with_peers=True):
        cases = self.cases | (self.peers if with_peers else {})
        names, values = list(cases), {}
        for number in range(rounds):
            first = number % len(names)
            for name in names[first:] + names[:first]:
                if name in cases and not self.measure_case(name, cases[name], values):
                    del cases[name]
        return [self.result(row, values) for row in self.rows]

    def measure_case(self, name, case, values):
        """Whether there is something to go on with. Without one of its own cases a row is nothing."""
        try:
            result = case()
        except Failure as failure:
            if name in self.cases:
                raise
            # The last line of what a program said tells what it lacks.
            reason = str(failure).strip().splitlines()[-1]
            print(f"bench: {name}, beside {self.rows[0].name}, is left out: {reason}", file=sys.stderr)
            for key in [key for key in values if key == name or key.startswith(f"{name}.")]:
                del values[key]
            return False
        for key, value in (result.items() if isinstance(result, dict) else [("", result)]):
            values.setdefault(f"{name}.{key}" if key else name, []).append(value)
        return True

    def result(self, row, values):
        ours, floor = values[row.case], values[row.floor] if row.floor else None
        ratios = row.compared(ours, floor)
        ratio = statistics.median(ratios)
        missing = 1 - min(self.delivered.get(row.case, [1.0]))
        judged = row.must is not None and missing <= LET_PASS
        return {
            "name": row.name, "work": row.work, "unit": row.unit, "about": row.about,
            "floor": statistics.median(floor) * row.scale if floor else None,
            "ours": statistics.median(ours) * row.scale,
            "ratio": ratio, "ratio_min": min(ratios), "ratio_max": max(ratios), "differs": row.differs,
            "must": row.must, "met": ratio <= row.must if judged else None, "goal": row.goal,
            "peers": {
                peer: statistics.median(row.compared(values[key], floor))
                for peer, key in row.peers.items() if key in values},
            "floor_samples": floor, "samples": ours, "missing": missing, "why": row.why,
        }
