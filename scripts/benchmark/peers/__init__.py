"""What else there is to do the work with: an appsink in C, the same in Python, OpenCV, and GStreamer's camerabin.

Their programs are beside this file. One that cannot run here, as where it is not installed, has no figures.
"""

import shutil
import subprocess

from ..runs import HERE, WORK, Failure

FOLDER = HERE / "peers"


def in_c(name):
    """A program in C; made when it is first asked for."""
    source, program = FOLDER / f"{name}.c", WORK / name
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        # Swift brings clang.
        compiler = shutil.which("cc") or shutil.which("clang")
        if not compiler:
            raise Failure("there is no C compiler; Swift's own is clang, in the folder of swift")
        flags = subprocess.run(
            ["pkg-config", "--cflags", "--libs", "gstreamer-app-1.0"], text=True, capture_output=True, check=False)
        made = subprocess.run(
            [compiler, "-O2", "-Wall", "-Werror", "-o", program, source, *flags.stdout.split()],
            text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if made.returncode:
            raise Failure(f"{source.name} does not build:\n{flags.stderr}{made.stdout}")
    return [program]


def python(name):
    # Debian's own Python is the one that its packages of GStreamer and OpenCV are for.
    return ["/usr/bin/python3", FOLDER / f"{name}.py"]
