"""What is left behind by much of the same."""

from .rows import Group, Row
from .runs import BENCH, WORK, Run, write_source
from .sources import caps

FRAME_KB = 640 * 480 * 3 // 2 / 1024


def growth(frames, photos, switches):
    """kB that each work leaves behind, and the most descriptors and threads that one of them does."""
    write_source(f"videotestsrc is-live=true pattern=black ! {caps(1000, 640, 480)}")
    uses = {
        work: Run(BENCH, "growth", work, count, WORK).samples["use"]
        for work, count in (("frames", frames), ("photos", photos), ("switches", switches))}
    return {
        "frames": uses["frames"]["kilobytes"], "photos": uses["photos"]["kilobytes"],
        "switches": uses["switches"]["kilobytes"] / switches,
        "descriptors": max(use["descriptors"] for use in uses.values()),
        "threads": max(use["threads"] for use in uses.values()),
    }


def groups(quick):
    counts = (10_000, 100, 50) if quick else (100_000, 1_000, 500)
    frames, photos, switches = counts
    about = ("What the process holds more after 100,000 frames (640x480), 1,000 photos and 500 changes of camera (720p) "
             "than after a tenth of them; --quick: a tenth of all. At most a frame, 256 kB and 1 kB a change, and no "
             "descriptor or thread more.")
    return [Group(
        [Row("growth-frames", f"memory left by {frames:,} frames", "kB", "growth.frames", None, FRAME_KB, about=about),
         Row("growth-photos", f"memory left by {photos:,} photos", "kB", "growth.photos", None, 256, about=about),
         Row("growth-switches", f"memory left by {switches} changes of camera", "kB each", "growth.switches", None, 1,
             about=about),
         Row("growth-descriptors", "descriptors left by one of these", "", "growth.descriptors", None, 0, about=about),
         Row("growth-threads", "threads left by one of these", "", "growth.threads", None, 0, about=about)],
        {"growth": lambda: growth(*counts)})]
