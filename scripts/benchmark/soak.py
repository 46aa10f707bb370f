"""`--soak`: a preview at 60 fps for a long time, and whether anything grows."""

import json
import os
import statistics
import subprocess

from .endurance import FRUGAL
from .runs import BENCH, WORK, Failure, write_source
from .sources import caps

FRAME_KB = 1280 * 720 * 3 // 2 / 1024
LOST = 0.001


def run(minutes):
    """Prints a line a minute and a verdict; whether all is well."""
    write_source(f"videotestsrc is-live=true pattern=ball ! {caps(60, 1280, 720)}")
    samples = []
    print(f"soak: 720p at 60 fps for {minutes:g} min, a photo and a change of zoom every 10 s", flush=True)
    with subprocess.Popen(
        [BENCH, "soak", str(minutes), WORK], text=True, stdout=subprocess.PIPE, env={**os.environ, **FRUGAL}
    ) as process:
        for text in process.stdout:
            sample = json.loads(text)
            # The last line says once more what the one before it says.
            if samples and sample["seconds"] == samples[-1]["seconds"]:
                continue
            samples.append(sample)
            if len(samples) % 6 == 0:
                print(describe(sample), flush=True)
    if process.returncode or not samples:
        raise Failure(f"camera-bench soak ended with status {process.returncode}; its message is above")
    problems = judge(samples)
    print(f"soak: {describe(samples[-1])}")
    print("soak: " + ("; ".join(problems) if problems else "nothing grew, no frame in 1,000 was lost"))
    return not problems


def describe(sample):
    use = sample["use"]
    return (f"{sample['seconds'] / 60:6.1f} min  {use['kilobytes'] / 1024:7.1f} MB  {use['descriptors']} descriptors  "
            f"{use['threads']} threads  {sample['frames']} frames, {sample['missed']} lost")


def judge(samples):
    """What is wrong: the last quarter is compared with the first, which begins when all is there that is made once."""
    steady = samples[6:]
    if len(steady) < 12:
        return ["too short to be judged: three minutes are the least"]
    quarter = len(steady) // 4
    first, last = steady[:quarter], steady[-quarter:]

    def middle(part, field):
        return statistics.median(sample["use"][field] for sample in part)

    problems = []
    grown = middle(last, "kilobytes") - middle(first, "kilobytes")
    if grown > FRAME_KB:
        problems.append(f"memory GREW by {grown:.0f} kB, more than a frame of {FRAME_KB:.0f} kB")
    half = len(steady) // 2
    for field in ("descriptors", "threads"):
        # Some come and go, so that the most in each half is compared.
        more = max(s["use"][field] for s in steady[half:]) - max(s["use"][field] for s in steady[:half])
        if more > 0:
            problems.append(f"{field} GREW by {more}")
    missed = samples[-1]["missed"] - steady[0]["missed"]
    came = samples[-1]["frames"] - steady[0]["frames"]
    if missed > LOST * came:
        problems.append(f"{missed} of {came + missed} frames were LOST")
    return problems
