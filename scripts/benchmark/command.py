"""The command line of `scripts/bench`."""

import argparse
import fcntl
import json
import subprocess
import sys

from . import catalog, report, soak, thresholds
from .rows import LET_PASS
from .runs import ROOT, WORK, Failure, Run

ABOUT = """Measures camera-core beside the plainest thing that does the same work (the floor).

Each row is a ratio, ours to the floor's, formed inside one round, because times belong to a machine and ratios
travel. The cases of a row take turns, and each round begins with another one. Printed are medians, and the smallest
and largest ratio; `Δ` marks a difference, and a row without a floor is its own value. `must` is what a row has to
reach, `goal` what it should, and how far that is. Under `C` (an appsink that keeps one frame), `Python` (the same
through gi), `OpenCV` (through GStreamer) and `camerabin` is what these come to beside the same floor; `-` where they
are not installed or cannot do it. Counts of instructions vary little, times with what else the machine does: see its
load.

rows:
"""
END = """
What is given a frame comes from a long run minus a short one of the same source, so that starting does not count. If
less than 97 in 100 of the frames between come through, the row says `frames missing`: its figures are not judged.

Needs the packages of `scripts/setup --for-bench`, and for the peers those of `--for-peers`. Status 0 when all was
measured, met or not; 1 otherwise, also when frames were missing, a threshold of --check was exceeded, or something
grew in a soak.
"""


def parse(words):
    groups = catalog.groups(True)
    names = [row.name for group in groups for row in group.rows]
    parser = argparse.ArgumentParser(
        prog="scripts/bench", description=ABOUT + report.help_text(groups) + "\n" + END,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="one round of fewer repetitions; only a first look")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="rounds, 5 if not given")
    parser.add_argument("--only", action="append", metavar="NAME", choices=names,
                        help="only that row and those of the same turns; may be given again")
    parser.add_argument("--no-peers", action="store_true", help="only the floors and ours")
    forms = parser.add_mutually_exclusive_group()
    forms.add_argument("--json", action="store_true", help="all samples as JSON instead of the table")
    forms.add_argument("--markdown", action="store_true",
                       help="the table as Markdown, for the page Performance of the documentation")
    forms.add_argument("--check", action="store_true",
                       help="only counts of instructions, quickly; status 1 when a ratio is above its threshold in "
                            "scripts/benchmark/thresholds.json")
    forms.add_argument("--soak", type=float, metavar="MINUTES",
                       help="instead a preview at 60 fps for so long, 3 or more, and whether anything grows; a line "
                            "a minute")
    options = parser.parse_args(words)
    if options.rounds < 1:
        parser.error("--rounds takes a number from 1 on")
    if options.soak is not None and not options.soak >= 3:
        parser.error("--soak takes minutes, 3 or more: what is made once is there after one")
    if options.check and options.only:
        parser.error("--check has its own rows; leave out --only")
    return options


def lock():
    """Keeps others out of the folder that runs work in, for as long as the file that is returned is open."""
    WORK.mkdir(parents=True, exist_ok=True)
    file = open(WORK / "lock", "w", encoding="utf-8")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise Failure("another scripts/bench runs in this checkout; wait for its end") from error
    return file


def prepare(options):
    """Installs what is missing, builds, and makes what would count as somebody's start."""
    setup = ROOT / "scripts" / "setup"
    if subprocess.run([setup, "--for-bench"], stdout=sys.stderr, check=False).returncode:
        raise Failure("what is needed is not installed; scripts/setup said what")
    if not (options.no_peers or options.check or options.soak):
        if subprocess.run([setup, "--for-peers"], stdout=sys.stderr, check=False).returncode:
            print("bench: some peers are not installed; scripts/setup said which", file=sys.stderr)
    for product in ("camera", "camera-bench"):
        build = subprocess.run(
            [ROOT / "scripts" / "build-release", product],
            cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if build.returncode:
            raise Failure(f"{product} does not build:\n{build.stdout}")
    # A registry that has to be made first would count as somebody's start.
    Run("gst-inspect-1.0", "videotestsrc")


def measure(groups, rounds, with_peers, show):
    """All rows of the groups, each shown as soon as it is there, and whether all could be measured."""
    rows, complete = [], True
    for group in groups:
        try:
            measured = group.measure(rounds, with_peers)
        except Failure as failure:
            print(f"bench: {', '.join(row.name for row in group.rows)}: {failure}", file=sys.stderr)
            complete = False
            continue
        rows += measured
        complete &= all(row["missing"] <= LET_PASS for row in measured)
        for row in measured:
            show(row)
    return rows, complete


def check():
    """Whether no row is above its threshold.

    A row that is, or that misses frames, is measured again: a busy machine can do that, but not three times what it
    does not do otherwise.
    """
    groups = catalog.groups(True)
    limits = thresholds.load([row.name for group in groups for row in group.rows])
    open_rows = set(limits)

    def show(row):
        if row["name"] in open_rows:
            passes, text = thresholds.verdict(row, limits[row["name"]])
            print(text, flush=True)
            if passes:
                open_rows.discard(row["name"])

    for _ in range(thresholds.TRIES):
        measure([group for group in groups if any(row.name in open_rows for row in group.rows)], 1, False, show)
    return not open_rows


def table(options):
    """Whether all could be measured."""
    groups = [group for group in catalog.groups(options.quick)
              if not options.only or any(row.name in options.only for row in group.rows)]
    as_text = not (options.json or options.markdown)
    before = report.machine()
    if as_text:
        print(report.heading(before))
        print(report.line(*report.HEADS))
    rounds = 1 if options.quick else options.rounds

    def show(row):
        if as_text:
            print(report.line(*report.cells(row)), flush=True)
        else:
            print(f"bench: {row['name']} is measured", file=sys.stderr, flush=True)

    rows, complete = measure(groups, rounds, not options.no_peers, show)
    after = report.machine()
    if options.json:
        print(json.dumps({"before": before, "after": after, "rows": rows}, indent=2, ensure_ascii=False))
    elif options.markdown:
        print(report.markdown(rows, before, after, options.quick, rounds))
    else:
        print(f"load {after['load'][0]:.1f} after")
        print(report.reasons(rows), end="")
    return complete


def main(words):
    options = parse(words)
    try:
        # Held to the end of the process.
        _held = lock()
        prepare(options)
        if options.soak:
            well = soak.run(options.soak)
        else:
            well = check() if options.check else table(options)
    except Failure as failure:
        sys.exit(f"bench: {failure}")
    return 0 if well else 1
