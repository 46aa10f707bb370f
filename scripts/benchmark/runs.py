"""Commands, and what they cost."""

import json
import math
import os
import pathlib
import re
import subprocess
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
HERE = ROOT / "scripts" / "benchmark"
WORK = ROOT / ".build" / "bench"
CAMERA = ROOT / ".build" / "release" / "camera"
BENCH = ROOT / ".build" / "release" / "camera-bench"
DEADLINE = 300.0


class Failure(Exception):
    """Why something cannot be measured."""


class Run:
    """A command that has run: its wall and processor time in ms, when the first and the last of its output came, and its
    output."""

    def __init__(self, *command, env=None, stdin=None):
        words = [str(word) for word in command]
        with open(stdin or os.devnull, "rb") as given:
            began = time.monotonic()
            try:
                process = subprocess.Popen(
                    words, cwd=WORK, env={**os.environ, **(env or {})}, bufsize=0,
                    stdin=given, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            except OSError as error:
                raise Failure(
                    f"{words[0]}: {error.strerror}; scripts/setup --for-bench installs what is needed") from error
            with process:
                late = threading.Event()
                alarm = threading.Timer(DEADLINE, lambda: (late.set(), process.kill()))
                alarm.start()
                parts, times = [], []
                while part := process.stdout.read(1 << 20):
                    parts.append(part)
                    times.append((time.monotonic() - began) * 1000)
                self.output = b"".join(parts).decode(errors="replace")
                self.first, self.last = (times[0], times[-1]) if times else (math.nan, math.nan)
                _, status, usage = os.wait4(process.pid, 0)
                self.wall = (time.monotonic() - began) * 1000
                alarm.cancel()
                process.returncode = os.waitstatus_to_exitcode(status)
        self.cpu = (usage.ru_utime + usage.ru_stime) * 1000
        if process.returncode != 0:
            end = f"did not end within {DEADLINE:.0f} s" if late.is_set() else f"status {process.returncode}"
            raise Failure(f"{' '.join(words)}: {end}\n{self.output.strip()[-2000:]}")

    @property
    def samples(self):
        """What the program says of itself: its last line is JSON."""
        return json.loads(self.output.strip().splitlines()[-1])


def peak(*command):
    """The most memory in MB that a command had: all that was resident, and what no file has.

    Asked of the kernel while it runs: what `wait` tells begins with the memory of the process that started it.
    """
    most, own = 0, 0
    with subprocess.Popen([str(word) for word in command], cwd=WORK, stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None:
            with open(f"/proc/{process.pid}/status", encoding="utf-8") as status:
                # One that is ending has no memory any more.
                found = dict(re.findall(r"^(VmHWM|RssAnon):\s+(\d+) kB", status.read(), re.MULTILINE))
            most, own = max(most, int(found.get("VmHWM", 0))), max(own, int(found.get("RssAnon", 0)))
            time.sleep(0.02)
    if process.returncode or not most:
        raise Failure(f"{command[0]}: status {process.returncode}")
    return {"all": most / 1024, "own": own / 1024}


def gst(*words):
    return ["gst-launch-1.0", "-q", *" ".join(words).split()]


def counted(*command):
    """A run under callgrind, and how many instructions it took."""
    log = WORK / "callgrind.log"
    # Swift seeds its hashing anew in each process, which counts.
    run = Run(
        "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", f"--log-file={log}", *command,
        env={"SWIFT_DETERMINISTIC_HASHING": "1"})
    collected = re.search(r"Collected : (\d+)", log.read_text())
    if not collected:
        raise Failure(f"callgrind counted nothing; see {log}")
    return run, int(collected[1])


def write_source(description):
    """Makes `file:bench` of the folder WORK the camera that is described."""
    sources = WORK / "sources"
    sources.mkdir(exist_ok=True)
    # Nothing waits for the brightness of a test picture to become steady.
    (sources / "bench.launch").write_text(f"# exposure: fixed\n{description}\n")


class PerFrame:
    """What a frame costs: a long run minus a short one of the same source, so that starting does not count."""

    def __init__(self, source, short, long, counts_instructions=False):
        self.source, self.short, self.long = source, short, long
        self.counts_instructions = counts_instructions
        self.delivered = {}

    def plain(self, chain):
        """gst-launch, which gives all that comes to `chain`."""
        costs = [self.cost(gst(self.source.format(count), chain))[1] for count in (self.short, self.long)]
        return self.difference(costs)

    def ours(self, case, *words):
        """`camera-bench`, which is given the source as a camera."""
        def run(count):
            write_source(self.source.format(count))
            return self.cost([BENCH, *words, WORK])
        return self.read(case, run)

    def peer(self, case, command, chain=""):
        """Another program, which is given the source as a description."""
        cost = self.read(case, lambda count: self.cost([*command, f"{self.source.format(count)} {chain}"]))
        share = self.delivered[case][-1]
        if share < 0.97:
            raise Failure(f"it missed {100 * (1 - share):.0f} % of the frames")
        return cost

    def read(self, case, run):
        runs = [run(count) for count in (self.short, self.long)]
        frames = [run.samples["frames"] for run, _ in runs]
        # What comes before the reader is there is missed by both runs alike; what it is too slow for is not.
        self.delivered.setdefault(case, []).append((frames[1] - frames[0]) / (self.long - self.short))
        return self.difference([cost for _, cost in runs])

    def difference(self, costs):
        return (costs[1] - costs[0]) / (self.long - self.short)

    def cost(self, command):
        if self.counts_instructions:
            return counted(*command)
        run = Run(*command)
        return run, run.cpu
