"""The plainest programs that do the same work, where gst-launch is not one."""

import os
import random
import statistics
import sys
import time

from ..runs import HERE, WORK, Failure, Run, counted, gst
from ..sources import caps
from .turbojpeg import Encoder


def raw_frame(width=1920, height=1080, colorimetry=None):
    """A file with one I420 frame of the colour bars, the bytes that ours is given too."""
    path = WORK / f"bars-{width}x{height}-{'jpeg' if colorimetry else 'video'}.i420"
    if not path.exists():
        form = caps(30, width, height, colorimetry=colorimetry)
        Run(*gst(f"videotestsrc num-buffers=1 pattern=smpte ! {form} ! filesink location={path}"))
    if path.stat().st_size != width * height * 3 // 2:
        raise Failure(f"{path} is no I420 frame of {width}x{height}; remove it and try again")
    return path


def shutter(count, colorimetry=None):
    """libjpeg-turbo, a file, fsync and rename, as often and as far apart as camera-bench's photos; in ms."""
    encoder = Encoder(raw_frame(colorimetry=colorimetry).read_bytes(), 1920, 1080)
    folder, times = os.open(WORK, os.O_RDONLY | os.O_DIRECTORY), []
    for index in range(count + 1):
        time.sleep(random.uniform(0.07, 0.1))
        temporary, final = WORK / ".plain.part", WORK / f"plain-{index}.jpg"
        began = time.monotonic()
        with open(temporary, "wb", buffering=0) as file:
            file.write(encoder.encode())
            os.fsync(file.fileno())
        os.rename(temporary, final)
        os.fsync(folder)
        times.append((time.monotonic() - began) * 1000)
        final.unlink()
    os.close(folder)
    encoder.close()
    return statistics.median(times[1:])


def encoding(width, height, colorimetry, counts):
    """Instructions that libjpeg-turbo takes for a frame."""
    frame = raw_frame(width, height, colorimetry)
    program = HERE / "floors" / "turbojpeg.py"
    # -I and -S: what Python would look up in folders is not the same everywhere.
    taken = [counted(sys.executable, "-I", "-S", program, frame, width, height, count)[1] for count in counts]
    return (taken[1] - taken[0]) / (counts[1] - counts[0])
