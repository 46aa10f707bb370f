"""What photos cost, and what they cost the preview beside them."""

import statistics

from . import floors, peers
from .previews import SIZES
from .rows import Group, Row
from .runs import BENCH, WORK, PerFrame, Run, counted, write_source
from .sources import JPEG_COLORIMETRY, bars, frozen

# A camera that is photographed runs on for as long as that takes.
ENDLESS = 1_000_000


def shutter(name, must, goal, about, count, device, colorimetry, with_peers=False, why=""):
    source = bars(colorimetry=colorimetry)

    def ours():
        write_source(source)
        return statistics.median(Run(BENCH, "shutter", count, device, WORK).samples["milliseconds"])

    def theirs():
        return statistics.median(
            Run(*peers.python("camerabin"), "shutter", count, WORK).samples["milliseconds"])

    def in_c():
        return statistics.median(Run(*peers.in_c("shutter"), count, WORK, source).samples["milliseconds"])

    others = {"C": in_c, "camerabin": theirs} if with_peers else {}
    work = "newest frame → durable 1080p JPEG" + (", converts" if colorimetry is None else "")
    return Group(
        [Row(name, work, "ms", "ours", "libjpeg-turbo", must, goal, about,
             peers={peer: peer for peer in others}, why=why)],
        {"libjpeg-turbo": lambda: floors.shutter(count, colorimetry), "ours": ours}, others)


def instructions(pixels, width, height, colorimetry, counts):
    """Instructions that a photo takes."""
    taken = []
    for count in counts:
        layout = {"pixels": pixels, "width": width, "height": height, "colorimetry": colorimetry}
        write_source(frozen(30, "smpte", **layout).format(ENDLESS))
        taken.append(counted(BENCH, "photos", count, WORK)[1])
    return (taken[1] - taken[0]) / (counts[1] - counts[0])


def jpegs(counts):
    about = ("Instructions (callgrind) of a photo of a 1080p frame in that format, against libjpeg-turbo on one I420 "
             "frame in memory. The first three are in JPEG's own colorimetry, as an MJPEG camera's decoded frames are, "
             "and are judged. Frames of `-video` are BT.709 in the limited range: ours converts range and matrix, as a "
             "JPEG demands, and the floor does not.")
    rows, cases = [], {"libjpeg-turbo": lambda: floors.encoding(1920, 1080, JPEG_COLORIMETRY, counts)}
    for colorimetry, suffix, work in (
        (JPEG_COLORIMETRY, "", "photo of {}, JPEG's colorimetry"),
        ("bt709", "-video", "photo of {}, converts range and matrix"),
    ):
        for pixels, must in (("I420", 1.03), ("NV12", 1.35), ("YUY2", 1.10)):
            name = f"jpeg-{pixels.lower()}{suffix}"
            cases[name] = lambda pixels=pixels, colorimetry=colorimetry: instructions(
                pixels, 1920, 1080, colorimetry, counts)
            rows.append(Row(
                name, work.format(pixels), "M instr.", name, "libjpeg-turbo", None if suffix else must,
                about=about, scale=1e-6))
    return Group(rows, cases)


def sizes(width, height):
    # Of small photos it takes more until they stand out from the rest of the process.
    counts = (1, 11) if width <= 1280 else (1, 3) if width <= 3840 else (1, 2)
    return Group(
        [Row(f"size-{width}x{height}-photo", f"photo {width}x{height}, JPEG's colorimetry", "instr/px", "ours",
             "libjpeg-turbo", scale=1 / (width * height),
             about="Instructions (callgrind) a pixel of a photo of that size, in JPEG's own colorimetry, against "
                   "libjpeg-turbo.")],
        {"libjpeg-turbo": lambda: floors.encoding(width, height, JPEG_COLORIMETRY, counts),
         "ours": lambda: instructions("I420", width, height, JPEG_COLORIMETRY, counts)})


def beside_preview(name, work, width, height, frames):
    per_frame = PerFrame(frozen(30, "smpte", width=width, height=height), *frames)

    def case(key, *words):
        def run():
            cpu = per_frame.ours(key, *words)
            return {"cpu": cpu, "lost": 1 - per_frame.delivered[key][-1]}
        return run

    about = ("A preview at 30 fps while a photo a second is taken, against the same without photos, of a source that "
             "costs nothing: processor time a frame, the photos' included, and frames lost in 100, the difference.")
    return Group(
        [Row(name, f"{work} at 30 fps, a photo a second", "ms CPU", "with.cpu", "without.cpu", about=about),
         Row(f"{name}-lost", "the same, frames lost in 100", "%", "with.lost", "without.lost", about=about, scale=100,
             differs=True)],
        {"without": case("without", "subscribers", 1, "native"), "with": case("with", "preview-photos")})


def groups(quick):
    count = 10 if quick else 20
    # Both end half-way between two photos, so that the difference is of as many photos as seconds.
    frames = (45, 165) if quick else (75, 375)
    return [
        shutter("shutter", 1.25, 1.10,
                "Newest frame → durable 1080p JPEG (quality 85) of a running camera whose frames are in JPEG's own "
                "colorimetry, as an MJPEG camera's decoded ones are, against libjpeg-turbo on the same I420 frame in "
                "memory, fsync, rename, fsync of the folder.",
                count, "file:bench", JPEG_COLORIMETRY, with_peers=True,
                why="Two thirds of what it takes longer the program in C takes longer too: jpegenc encodes a frame that "
                    "another processor wrote a moment ago, while the camera goes on. The other 0.3 ms are a look at the "
                    "path (0.06), filesink opening the file (0.1), two changes of threads (0.08), and the file's ends "
                    "read back (0.02); its EXIF takes no time that shows."),
        shutter("shutter-video", None, None,
                "The same of test:bars, whose frames are BT.709 in the limited range: ours converts range and matrix, "
                "as a JPEG demands, and the floor does not, so there is nothing to reach.",
                count, "test:bars", None),
        beside_preview("photo-1080", "1080p", 1920, 1080, frames),
        beside_preview("photo-4k", "4K", 3840, 2160, frames),
        jpegs((1, 3)),
        *(sizes(*size) for size in SIZES),
    ]
