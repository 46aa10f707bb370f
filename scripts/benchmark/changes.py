"""Changes of a running camera, commands, and how soon they show."""

import math
import statistics

from . import peers
from .rows import Group, Row
from .runs import BENCH, CAMERA, WORK, Failure, Run, write_source
from .sources import frozen


def percentile_95(values):
    return sorted(values)[math.ceil(0.95 * len(values)) - 1]


def in_camera_bench(*words):
    """Medians of what camera-bench measured, and the gap that 19 in 20 changes stay within."""
    samples = Run(BENCH, *words).samples
    if samples.get("stale"):
        raise Failure(f"camera-bench {' '.join(map(str, words))}: {samples['stale']} outdated frames came")
    result = {"ms": statistics.median(samples["milliseconds"])}
    if "gaps" in samples:
        result["frames"] = statistics.median(samples["framesUntilVisible"])
        result["gap"] = percentile_95(samples["gaps"])
    return result


def milliseconds(run):
    return statistics.median(run.samples["milliseconds"])


def per_command(lines, short, long):
    """Wall time in ms that a command takes, read from standard input with many others."""
    walls = []
    for count in (short, long):
        script = WORK / "commands.camera"
        script.write_text("".join(f"{lines[index % len(lines)]}\n" for index in range(count)))
        walls.append(Run(CAMERA, "--device", "test:bars", stdin=script).wall)
    return (walls[1] - walls[0]) / (long - short)


def age(count):
    """Frame intervals, at 60 a second, that 19 in 20 frames stay within."""
    # A consumer of 40 ms looks at every third frame or less.
    write_source(frozen(60).format(count * 4 + 120))
    return percentile_95(Run(BENCH, "age", count, 40, WORK).samples["milliseconds"]) * 60 / 1000


def age_in_c(count):
    samples = Run(*peers.in_c("appsink"), "--pause", 40, frozen(60).format(count * 5 // 2)).samples
    return percentile_95(samples["milliseconds"]) * 60 / 1000


def groups(quick):
    count = 10 if quick else 20
    lines = (200, 2_000) if quick else (200, 20_000)
    frames = 50 if quick else 200
    return [
        Group(
            [Row("switch", "change of camera → first new frame", "ms", "switch.ms", "both.ms", 1.25, 1.06,
                 "Change of camera → first new frame, live 720p at 30 fps, against making and starting a bare "
                 "pipeline until its first frame, which paints the same: a ball takes three times as long as bars.", peers={"camerabin": "camerabin"}),
             Row("switch-gap", "last old frame → first new one, p95", "interval", "switch.gap", None, 1.2, 1.0,
                 "From the last old frame to the first new one, in frame intervals."),
             Row("preset", "change of preset → first new frame", "ms", "preset.ms", "bare.ms", 1.4, 1.0,
                 "Change from 640x480 to 720p → first new frame, against the start of a bare pipeline with bars."),
             Row("zoom", "zoom set → frames until it shows", "frames", "zoom.frames", None, 1.0, 1.0,
                 "Zoom set → frames until it shows, itself included: 1 is the next frame.")],
            {"bare": lambda: in_camera_bench("bare-start", count, "smpte"),
             "both": lambda: in_camera_bench("bare-start", count, "ball", "smpte"),
             "switch": lambda: in_camera_bench("switch", count),
             "preset": lambda: in_camera_bench("preset", count),
             "zoom": lambda: in_camera_bench("zoom", count)},
            {"camerabin": lambda: milliseconds(Run(*peers.python("camerabin"), "switch", count, WORK))}),
        Group(
            [Row("commands", "a zoom by the script engine, from stdin", "ms", "zoom", "help",
                 about="A command `zoom` among many that `camera` reads from standard input, each a change of a "
                       "running 1080p camera, against as many of `help quit`, which is parsed and answered and does "
                       "nothing.")],
            {"help": lambda: per_command(["help quit"], *lines),
             "zoom": lambda: per_command(["zoom 2", "zoom 3"], *lines)}),
        Group(
            [Row("frame-age", "age at a 40 ms consumer, 60 fps, p95", "interval", "ours", None, 1.1, None,
                 "How old a frame is when a consumer gets it that takes 40 ms for each, at 60 fps: since a fast "
                 "consumer beside it got the same frame, in frame intervals. In C: since the time of the frame, of an "
                 "appsink that keeps one.", peers={"C": "C"})],
            {"ours": lambda: age(frames)},
            {"C": lambda: age_in_c(frames)}),
    ]
