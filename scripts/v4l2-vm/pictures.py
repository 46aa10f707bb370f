"""What the USB cameras show. Drawn here, since the guest is slower."""

import glob
import os
import shlex
import shutil
import subprocess
import sys
import zlib

from common import HERE, fail, locked_cache, note

FOLDER = "usr/share/v4l2-vm"           # in the guest
PATTERNS = ["ball", "smpte", "pinwheel", "checkers-8"]
SIZES = {"MJPG": [(640, 480), (1280, 720), (1920, 1080)],
         "YUY2": [(320, 240), (640, 360), (640, 480)]}
COUNT = 6
MOVING = FOLDER + "/moving"


def of_camera(port, bench):
    """Where in the guest the pictures of that camera are."""
    return "/" + (bench_folder() if bench else "%s/%s" % (MOVING, PATTERNS[port % len(PATTERNS)]))


def bench_folder():
    """Drawn anew when draw-bench changes, since the name does."""
    with open(os.path.join(HERE, "draw-bench"), "rb") as file:
        return "%s/bench-%08x" % (FOLDER, zlib.crc32(file.read()))


def draw_moving(folder):
    for pattern in PATTERNS:
        for code, sizes in SIZES.items():
            for size in sizes:
                form = "I420 ! jpegenc quality=80" if code == "MJPG" else "YUY2"
                subprocess.run(shlex.split(
                    "gst-launch-1.0 -q videotestsrc pattern=%s num-buffers=%d"
                    " ! video/x-raw,width=%d,height=%d,framerate=5/1 ! videoconvert"
                    " ! video/x-raw,format=%s ! multifilesink location=%s/%s-%s-%dx%d-%%02d"
                    % (pattern, COUNT, *size, form, shlex.quote(folder), pattern, code, *size)),
                    check=True)


def draw_bench(folder):
    subprocess.run([sys.executable, os.path.join(HERE, "draw-bench"), folder], check=True)


def ensure(machine, folder, draw, old=None):
    """Have `draw` make that folder of the guest, unless it is there."""
    final = os.path.join(machine, "tools", folder)
    with locked_cache():
        if os.path.isdir(final):
            return
        if not shutil.which("gst-launch-1.0"):
            fail("USB cameras need GStreamer's tools: run scripts/setup --for-tests")
        note("drawing pictures, once: " + final)
        for path in glob.glob(os.path.join(machine, "tools", old)) if old else []:
            shutil.rmtree(path)
        part = os.path.join(machine, "pictures.part")
        shutil.rmtree(part, ignore_errors=True)
        os.mkdir(part)
        try:
            draw(part)
        except subprocess.CalledProcessError as error:
            fail("no pictures for the USB cameras: %s" % error)
        os.makedirs(os.path.dirname(final), exist_ok=True)
        os.rename(part, final)


def prepare(machine, moving, bench):
    if moving:
        ensure(machine, MOVING, draw_moving)
    if bench:
        ensure(machine, bench_folder(), draw_bench, old=FOLDER + "/bench-*")
