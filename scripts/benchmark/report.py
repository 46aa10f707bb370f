"""The table, for people, for programs and for the documentation."""

import datetime
import os
import platform
import textwrap

from .rows import LET_PASS, PEERS
from .runs import Run

WIDTHS = (21, 45, 10, 9, 9, 22, 8, 16, 7, 7, 7, 10)
HEADS = ("row", "work", "unit", "floor", "ours", "ratio (min–max)", "must", "goal", *PEERS, "")


def line(*cells):
    return ("  ".join(cell.ljust(width) for cell, width in zip(cells, WIDTHS)) + cells[-1]).rstrip()


def number(value):
    """Two digits after the point, or as many as show two that count."""
    if value and abs(value) < 0.095:
        return f"{value:.2g}"
    return f"{value:.2f}" if abs(value) < 1000 else f"{value:.0f}"


def goal(row):
    """How far the goal is."""
    if row["goal"] is None:
        return "-"
    aim, ratio = row["goal"], row["ratio"]
    if ratio <= aim:
        return f"{number(aim)} reached"
    return f"{number(aim)} +{100 * (ratio / aim - 1):.0f} %" if aim else f"{number(aim)} +{number(ratio)}"


def cells(row):
    """The cells of a line, the verdict last."""
    sign = "Δ " if row["differs"] else ""
    spread = f"{sign}{number(row['ratio'])} ({number(row['ratio_min'])}–{number(row['ratio_max'])})"
    missing = f"frames missing: {100 * row['missing']:.0f} % in one round" if row["missing"] > LET_PASS else "-"
    return (
        row["name"], row["work"], row["unit"], "-" if row["floor"] is None else number(row["floor"]),
        number(row["ours"]), spread, "-" if row["must"] is None else f"≤ {number(row['must'])}", goal(row),
        *(number(row["peers"][peer]) if peer in row["peers"] else "-" for peer in PEERS),
        {True: "met", False: "NOT MET", None: missing}[row["met"]])


def machine():
    """Where and under what it was measured."""
    model = platform.machine()
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        names = [text.partition(":")[2].strip() for text in file if text.startswith("model name")]
    return {
        "date": datetime.date.today().isoformat(), "processor": names[0] if names else model,
        "cores": os.cpu_count(), "load": os.getloadavg(),
        "gstreamer": Run("gst-launch-1.0", "--version").output.splitlines()[1],
        "system": platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())}


def heading(where):
    return f"{where['gstreamer']}, {where['cores']} cores, load {where['load'][0]:.1f} before"


def meanings(rows):
    """What each row is, rows that belong together once: pairs of names and text. Of rows or of what was measured."""
    found = {}
    for row in rows:
        name, about = (row["name"], row["about"]) if isinstance(row, dict) else (row.name, row.about)
        found.setdefault(about, []).append(name)
    return [(names, about) for about, names in found.items()]


def unmet(rows):
    return [row for row in rows if row["met"] is False]


def reasons(rows):
    """Why rows that are not met are not, for people."""
    return "".join(
        textwrap.fill(f"{row['name']}: {row['why'] or 'why is not known.'}", 110, subsequent_indent="    ") + "\n"
        for row in unmet(rows))


def help_text(groups):
    """The rows for --help."""
    lines = []
    for names, about in meanings(row for group in groups for row in group.rows):
        lines += textwrap.wrap(", ".join(names), 98, initial_indent="  ", subsequent_indent="  ")
        lines += textwrap.wrap(about, 98, initial_indent="      ", subsequent_indent="      ")
    return "\n".join(lines)


def markdown(rows, before, after, quick, rounds):
    """Two tables, where they were taken, and what the rows mean, for the page in the documentation."""
    def table(heads, lines):
        return ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads),
                *("| " + " | ".join(cells) + " |" for cells in lines), ""]

    taken = "one round of fewer repetitions (`--quick`)" if quick else f"medians of {rounds} rounds"
    lines = [
        f"Taken on {before['date']}: {before['processor']}, {before['cores']} cores, {before['system']}, "
        f"{before['gstreamer']}; load {before['load'][0]:.1f} before and {after['load'][0]:.1f} after; {taken}.", ""]
    shown = [cells(row) for row in rows]
    lines += table(
        ("Row", "Work", "Unit", "Floor", "Ours", "Ratio (min–max)", "Must", "Goal", "Verdict"),
        [(f"`{cell[0]}`", *cell[1:8], cell[-1]) for cell in shown])
    with_peers = [cell for cell, row in zip(shown, rows) if row["peers"]]
    if with_peers:
        lines += ["The same work by others, each compared with the floor of its row as ours is:", ""]
        lines += table(
            ("Row", "Ours", *PEERS), [(f"`{cell[0]}`", cell[5].split(" (")[0], *cell[8:12]) for cell in with_peers])
    lines += ["What the rows mean:", ""]
    lines += [f"- {', '.join(f'`{name}`' for name in names)}: {about}" for names, about in meanings(rows)]
    if unmet(rows):
        lines += ["", "Why what is not met is not:", ""]
        lines += [f"- `{row['name']}`: {row['why'] or 'not known.'}" for row in unmet(rows)]
    return "\n".join(lines)
