"""What is left behind by much of the same."""

from .rows import Group, Row
from .runs import BENCH, WORK, Run, write_source
from .sources import caps

# Memory that is free goes back to the system at once; otherwise what the allocator keeps for later, megabytes that come
# and go, would hide what is lost.
FRUGAL = {"MALLOC_ARENA_MAX": "1", "MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_TRIM_THRESHOLD_": "65536"}
FRAME_KB = 640 * 480 * 3 // 2 / 1024


def growth(frames, photos, switches):
    """kB that each work leaves behind, and the most descriptors and threads that one of them does."""
    write_source(f"videotestsrc is-live=true pattern=black ! {caps(4000, 640, 480)}")
    uses = {
        work: Run(BENCH, "growth", work, count, WORK, env=FRUGAL).samples["use"]
        for work, count in (("frames", frames), ("photos", photos), ("switches", switches))}
    return {
        "frames": uses["frames"]["kilobytes"], "photos": uses["photos"]["kilobytes"],
        "switches": uses["switches"]["kilobytes"] / switches,
        "descriptors": max(use["descriptors"] for use in uses.values()),
        "threads": max(use["threads"] for use in uses.values()),
    }


def groups(quick):
    # Fewer photos or changes would leave only what is made once.
    counts = (10_000 if quick else 100_000, 1_000, 1_000)
    frames, photos, switches = counts
    about = ("What the process holds more after 100,000 frames (640x480; 10,000 with --quick), 1,000 photos and 1,000 "
             "changes of camera (720p), when as many went before, of frames a tenth or 5,000: what is made once does "
             "not count. The same is done twice and the smaller growth counts, since a pool that once lent a frame "
             "more than before keeps it, and what leaks does so each time. At most a frame, 256 kB and 1 kB a change, "
             "and no descriptor or thread more than at most before.")
    return [Group(
        [Row("growth-frames", f"memory left by {frames:,} frames", "kB", "growth.frames", None, FRAME_KB, about=about),
         Row("growth-photos", f"memory left by {photos:,} photos", "kB", "growth.photos", None, 256, about=about),
         Row("growth-switches", f"memory left by {switches:,} changes of camera", "kB each", "growth.switches", None,
             1, about=about),
         Row("growth-descriptors", "descriptors left by one of these", "", "growth.descriptors", None, 0, about=about),
         Row("growth-threads", "threads left by one of these", "", "growth.threads", None, 0, about=about)],
        {"growth": lambda: growth(*counts)})]
