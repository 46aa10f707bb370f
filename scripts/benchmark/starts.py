"""From the start of a process to its first frame or photo."""

import statistics

from . import peers
from .rows import Group, Row
from .runs import CAMERA, WORK, Failure, Run, gst, write_source
from .sources import JPEG_COLORIMETRY, bars

# As camera-core sets it.
ENCODER = "! jpegenc quality=85 idct-method=islow"
# What makes a right JPEG of frames that are not in its colours.
BY_WAY_OF_RGB = ("! videoconvert n-threads=0 ! video/x-raw,format=BGRx ! videoconvert n-threads=0 ! "
                 f"video/x-raw,format=I420,colorimetry={JPEG_COLORIMETRY}")


def camera(*words):
    return Run(CAMERA, "--json", *words)


def jpeg_by_camera():
    photo = WORK / "first.jpg"
    photo.unlink(missing_ok=True)
    run = camera("--pipelines", WORK, "--device", "file:bench", "-c", f"photo {photo}")
    if not photo.stat().st_size:
        raise Failure(f"{photo} is empty")
    return run


def durable_by_gst_launch(pixels, chain):
    photo = WORK / "first-gst.jpg"
    photo.unlink(missing_ok=True)
    words = gst(pixels, chain, f"! filesink location={photo}")
    run = Run("sh", "-c", '"$@" && sync "$0" && echo', photo, *words)
    if not photo.stat().st_size:
        raise Failure(f"{photo} is empty")
    return run


def jpeg(name, work, count, colorimetry, convert, about, with_peers=False):
    """Until a photo is there, of a file-described camera like that which the floor is given."""
    pixels = bars(1, colorimetry)

    def ours():
        write_source(bars(None, colorimetry))
        return repeated(count, jpeg_by_camera)()

    cases = {
        "gst-launch": repeated(count, lambda: durable_by_gst_launch(pixels, f"{convert}{ENCODER}")),
        "ours": ours}
    others = {
        "C": repeated(count, lambda: Run(
            *peers.in_c("appsink"), "--write", WORK / "first-c.jpg", f"{pixels} {ENCODER}")),
        "camerabin": repeated(count, lambda: Run(*peers.python("camerabin"), "photo", 1, WORK))}
    return Group(
        [Row(name, f"process start → durable JPEG {work}", "ms", "ours.last", "gst-launch.last", 1.4, 1.1, about,
             peers={peer: f"{peer}.last" for peer in others} if with_peers else {})],
        cases, others if with_peers else {})


def repeated(count, run):
    """When a process has what it was started for, and its processor time, as medians of several runs."""
    def case():
        runs = [run() for _ in range(count)]
        return {"first": statistics.median(r.first for r in runs), "last": statistics.median(r.last for r in runs),
                "cpu": statistics.median(r.cpu for r in runs)}
    return case


def groups(quick):
    count = 3 if quick else 5
    about = ("From the start of a process until it has a 1080p frame: until `camera` on test:bars says so, and until "
             "gst-launch videotestsrc ! fdsink writes its first byte. `start-cpu` is the processor time of the whole "
             "process, in which ours paints another frame before it ends, and gst-launch does not write its own.")

    def by(*names):
        return {name: f"{name}.last" for name in names}, {name: f"{name}.cpu" for name in names}

    times, cpus = by("C", "Python", "OpenCV", "camerabin")
    return [
        Group(
            [Row("start-frame", "process start → first 1080p frame", "ms", "ours.last", "gst-launch.first",
                 1.4, 1.1, about, peers=times,
                 why="Half of what it takes longer `camera --version` takes longer than `gst-launch-1.0 --version`: "
                     "mapping and relocating a program with Swift's runtime and Foundation inside, 51,000 relative "
                     "relocations and 340 page faults more. Without position-independent code it would be 0.4 ms "
                     "less, and addresses would not be random. The other half is a graph that can be changed while it "
                     "runs, looking the camera up, two changes of threads, and Swift's first use of each generic "
                     "type, which looks through 3,600 conformances."),
             Row("start-cpu", "the same, processor time to the end", "ms CPU", "ours.cpu", "plain.cpu", about=about,
                 peers=cpus)],
            {"gst-launch": repeated(count, lambda: Run(*gst(bars(1), "! fdsink"))),
             "plain": repeated(count, lambda: Run(*gst(bars(1), "! fakesink"))),
             "ours": repeated(count, lambda: camera(
                 "--device", "test:bars", "--preset", "hd1920x1080", "-c", "wait frames 1"))},
            {"C": repeated(count, lambda: Run(*peers.in_c("appsink"), bars(1))),
             "Python": repeated(count, lambda: Run(*peers.python("preview_gi"), bars(1))),
             "OpenCV": repeated(count, lambda: Run(*peers.python("preview_opencv"), bars(1))),
             "camerabin": repeated(count, lambda: Run(*peers.python("camerabin"), "frame", 1, WORK))}),
        jpeg("start-jpeg", "in JPEG's colours", count, JPEG_COLORIMETRY, "",
             "From the start of a process until a 1080p JPEG is durable, of a camera whose frames are in JPEG's own "
             "colorimetry: until `camera` says so, and until a shell has run gst-launch ! jpegenc ! filesink and sync(1) "
             "of the file. Ours also writes EXIF. In C and by camerabin nothing is synced.",
             with_peers=True),
        jpeg("start-jpeg-video", "of BT.709", count, None, f"{BY_WAY_OF_RGB} ",
             "The same of BT.709 in the limited range, as test:bars gives it, which a JPEG demands to be converted: by "
             "the same two elements on both sides, since GStreamer's converter leaves the range as it is between two "
             "formats of one matrix."),
    ]
