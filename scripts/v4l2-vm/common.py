"""What the parts of with-cameras share."""

import contextlib
import fcntl
import os
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
GUEST = os.path.join(HERE, "guest")            # files for the guest
CACHE = os.path.join(
    os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "v4l2-vm")

EXIT_TIMEOUT = 124          # as coreutils' timeout
EXIT_MACHINE = 125          # the machine failed, not the command

verbose = False


def fail(text):
    print("with-cameras: " + text, file=sys.stderr)
    sys.exit(EXIT_MACHINE)


def note(text):
    if verbose:
        print("with-cameras: " + text, file=sys.stderr, flush=True)


def guest_file(name):
    with open(os.path.join(GUEST, name)) as file:
        return file.read()


@contextlib.contextmanager
def locked_cache():
    """Keeps runs that start together from filling the cache twice."""
    os.makedirs(CACHE, exist_ok=True)
    with open(os.path.join(CACHE, "lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
