"""From the start of a process to its first frame or photo."""

import statistics

from . import peers
from .rows import Group, Row
from .runs import CAMERA, WORK, Failure, Run, gst
from .sources import bars


def camera(command):
    return Run(CAMERA, "--device", "test:bars", "--preset", "hd1920x1080", "-c", command)


def jpeg_by_camera():
    photo = WORK / "first.jpg"
    photo.unlink(missing_ok=True)
    run = camera(f"photo {photo}")
    if not photo.stat().st_size:
        raise Failure(f"{photo} is empty")
    return run


def repeated(count, run):
    """Wall and processor time of a process, as medians of several runs."""
    def case():
        runs = [run() for _ in range(count)]
        return {"wall": statistics.median(r.wall for r in runs), "cpu": statistics.median(r.cpu for r in runs)}
    return case


def groups(quick):
    count = 3 if quick else 5
    encoder = "! jpegenc quality=85 idct-method=islow"
    jpeg = f"{encoder} ! filesink location={WORK / 'plain-first.jpg'}"
    about = ("A whole process that takes one 1080p frame: `camera` on test:bars against gst-launch videotestsrc ! "
             "fakesink; wall time, and processor time.")

    def by(*names):
        return {name: f"{name}.wall" for name in names}, {name: f"{name}.cpu" for name in names}

    walls, cpus = by("C", "Python", "OpenCV", "camerabin")
    return [
        Group(
            [Row("start-frame", "process start → first 1080p frame, end", "ms", "ours.wall", "gst-launch.wall",
                 1.4, 1.1, about, peers=walls),
             Row("start-cpu", "the same, processor time", "ms CPU", "ours.cpu", "gst-launch.cpu", about=about,
                 peers=cpus)],
            {"gst-launch": repeated(count, lambda: Run(*gst(bars(1), "! fakesink"))),
             "ours": repeated(count, lambda: camera("wait frames 1"))},
            {"C": repeated(count, lambda: Run(*peers.appsink_c(), bars(1))),
             "Python": repeated(count, lambda: Run(*peers.python("preview_gi"), bars(1))),
             "OpenCV": repeated(count, lambda: Run(*peers.python("preview_opencv"), bars(1))),
             "camerabin": repeated(count, lambda: Run(*peers.python("camerabin"), "frame", 1, WORK))}),
        Group(
            [Row("start-jpeg", "process start → first 1080p JPEG, end", "ms", "ours.wall", "gst-launch.wall",
                 1.4, 1.1,
                 "The same with a photo, which ours also syncs to the disk, against gst-launch ! jpegenc ! filesink, "
                 "which does not. In C and by camerabin it is not synced either.", peers=by("C", "camerabin")[0])],
            {"gst-launch": repeated(count, lambda: Run(*gst(bars(1), jpeg))),
             "ours": repeated(count, jpeg_by_camera)},
            {"C": repeated(count, lambda: Run(
                *peers.appsink_c(), "--write", WORK / "first-c.jpg", f"{bars(1)} {encoder}")),
             "camerabin": repeated(count, lambda: Run(*peers.python("camerabin"), "photo", 1, WORK))}),
    ]
