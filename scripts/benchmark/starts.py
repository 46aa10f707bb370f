"""From the start of a process to its first frame or photo."""

import statistics

from . import peers
from .rows import Group, Row
from .runs import CAMERA, WORK, Failure, Run, gst
from .sources import bars


def camera(command):
    return Run(CAMERA, "--json", "--device", "test:bars", "--preset", "hd1920x1080", "-c", command)


def jpeg_by_camera():
    photo = WORK / "first.jpg"
    photo.unlink(missing_ok=True)
    run = camera(f"photo {photo}")
    if not photo.stat().st_size:
        raise Failure(f"{photo} is empty")
    return run


def repeated(count, run):
    """When a process has what it was started for, and its processor time, as medians of several runs."""
    def case():
        runs = [run() for _ in range(count)]
        return {"first": statistics.median(r.first for r in runs), "last": statistics.median(r.last for r in runs),
                "cpu": statistics.median(r.cpu for r in runs)}
    return case


def groups(quick):
    count = 3 if quick else 5
    encoder = "! jpegenc quality=85 idct-method=islow"
    about = ("From the start of a process until it has a 1080p frame: until `camera` on test:bars says so, and until "
             "gst-launch videotestsrc ! fdsink writes its first byte. `start-cpu` is the processor time of the whole "
             "process, in which ours paints another frame before it ends, and gst-launch does not write its own.")

    def by(*names):
        return {name: f"{name}.last" for name in names}, {name: f"{name}.cpu" for name in names}

    times, cpus = by("C", "Python", "OpenCV", "camerabin")
    return [
        Group(
            [Row("start-frame", "process start → first 1080p frame", "ms", "ours.last", "gst-launch.first",
                 1.4, 1.1, about, peers=times),
             Row("start-cpu", "the same, processor time to the end", "ms CPU", "ours.cpu", "plain.cpu", about=about,
                 peers=cpus)],
            {"gst-launch": repeated(count, lambda: Run(*gst(bars(1), "! fdsink"))),
             "plain": repeated(count, lambda: Run(*gst(bars(1), "! fakesink"))),
             "ours": repeated(count, lambda: camera("wait frames 1"))},
            {"C": repeated(count, lambda: Run(*peers.appsink_c(), bars(1))),
             "Python": repeated(count, lambda: Run(*peers.python("preview_gi"), bars(1))),
             "OpenCV": repeated(count, lambda: Run(*peers.python("preview_opencv"), bars(1))),
             "camerabin": repeated(count, lambda: Run(*peers.python("camerabin"), "frame", 1, WORK))}),
        Group(
            [Row("start-jpeg", "process start → first 1080p JPEG", "ms", "ours.last", "gst-launch.last",
                 1.4, 1.1,
                 "The same with a photo, against gst-launch ! jpegenc ! fdsink until the last byte. Ours also converts to "
                 "JPEG's range and matrix, as `shutter-video` tells, writes EXIF, and syncs the file to the disk. In C "
                 "and by camerabin none of that is done.", peers=by("C", "camerabin")[0])],
            {"gst-launch": repeated(count, lambda: Run(*gst(bars(1), encoder, "! fdsink"))),
             "ours": repeated(count, jpeg_by_camera)},
            {"C": repeated(count, lambda: Run(
                *peers.appsink_c(), "--write", WORK / "first-c.jpg", f"{bars(1)} {encoder}")),
             "camerabin": repeated(count, lambda: Run(*peers.python("camerabin"), "photo", 1, WORK))}),
    ]
