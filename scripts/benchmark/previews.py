"""What a frame of a preview costs."""

from . import peers
from .rows import Group, Row
from .runs import BENCH, WORK, PerFrame, Run, gst, peak, write_source
from .sources import caps, frozen, live

BGRX = "! videoconvert ! video/x-raw,format=BGRx"


def preview(name, work, unit, source, frames, chain, readers, about, scale=1.0, pixels="native", counts=False,
            peer_chain="", opencv_chain=""):
    """Rows of one source: `readers` has what each must reach, and the goal."""
    per_frame = PerFrame(source, *frames, counts_instructions=counts)
    cases = {"gst-launch": lambda: per_frame.plain(chain)}
    for reader in readers:
        cases[reader] = lambda reader=reader: per_frame.ours(reader, "preview", reader, pixels, 1)
    others = {
        "C": lambda: per_frame.peer("C", peers.in_c("appsink"), peer_chain),
        "Python": lambda: per_frame.peer("Python", peers.python("preview_gi"), peer_chain),
    }
    if not counts:
        others["OpenCV"] = lambda: per_frame.peer("OpenCV", peers.python("preview_opencv"), opencv_chain)
    rows = [
        Row(name.format(reader), work.format(reader), unit, reader, "gst-launch", must, goal, about, scale,
            {peer: peer for peer in others})
        for reader, (must, goal) in readers.items()]
    return Group(rows, cases, others, per_frame.delivered)


def subscribers(count, frames):
    per_frame = PerFrame(frozen(120), *frames)
    branches = "! tee name=t " + " ".join("t. ! queue ! fakesink" for _ in range(count))
    return Group(
        [Row(f"subscribers-{count}", f"frozen 1080p at 120 fps, {count} callback{'s' if count > 1 else ''}", "µs CPU",
             "ours", "gst-launch", scale=1e3,
             about="Processor time a frame with so many callbacks of the native format, of a source that costs "
                   "nothing, against gst-launch ... ! tee with as many queue ! fakesink. What a further callback costs "
                   "is the difference of two such rows.")],
        {"gst-launch": lambda: per_frame.plain(branches),
         "ours": lambda: per_frame.ours("ours", "subscribers", count, "native")}, delivered=per_frame.delivered)


def converted(frames):
    per_frame = PerFrame(frozen(60), *frames)
    return Group(
        [Row("converted-2", "two callbacks I420 → BGRx against one", "ms CPU", "two", "one", 1.2, 1.05,
             about="Processor time a frame with two callbacks that both ask for BGRx, of a source that costs nothing, "
                   "against one such callback: 2 if each converted on its own, 1 if the second cost nothing.")],
        {"one": lambda: per_frame.ours("one", "subscribers", 1, "BGRx"),
         "two": lambda: per_frame.ours("two", "subscribers", 2, "BGRx")}, delivered=per_frame.delivered)


def zoomed(frames):
    form = caps(30, colorimetry="bt709")
    per_frame = PerFrame(frozen(30, "smpte", colorimetry="bt709"), *frames)
    crop = f"! videocrop left=480 right=480 top=270 bottom=270 ! videoscale ! {form} ! queue ! fakesink"
    return Group(
        [Row("zoom-cost", "zoom 2 at 1080p, callback", "ms CPU", "ours", "gst-launch", 1.3, 1.05,
             "Processor time a frame at zoom 2, of a source that costs nothing, against gst-launch ... ! videocrop ! "
             "videoscale ! the same caps, colorimetry included ! queue ! fakesink.")],
        {"gst-launch": lambda: per_frame.plain(crop),
         "ours": lambda: per_frame.ours("ours", "preview", "callback", "native", 2)}, delivered=per_frame.delivered)


def mjpeg(frames):
    """The camera sends JPEG: the same file again and again, as a camera would."""
    picture = WORK / "mjpeg.jpg"
    source = (f"multifilesrc location={picture} loop=true num-buffers={{}}"
              " caps=image/jpeg,width=1920,height=1080,framerate=30/1")
    per_frame = PerFrame(f"{source} ! image/jpeg,width=1920,height=1080,framerate=30/1", *frames)

    def with_picture(case):
        def run():
            if not picture.exists():
                Run(*gst(f"videotestsrc num-buffers=1 pattern=smpte ! {caps(30)} ! jpegenc quality=85 ! filesink "
                         f"location={picture}"))
            return case()
        return run

    return Group(
        [Row("mjpeg", "MJPEG camera 1080p at 30 fps, callback", "ms CPU", "ours", "gst-launch",
             about="Processor time a frame of a camera that sends JPEG (one file again and again), against gst-launch "
                   "... ! jpegdec ! fakesink sync=true. Ours also looks whether each JPEG is whole.")],
        {"gst-launch": with_picture(lambda: per_frame.plain("! jpegdec ! fakesink sync=true")),
         "ours": with_picture(lambda: per_frame.ours("ours", "preview", "callback", "native", 1))},
        delivered=per_frame.delivered)


def unwatched(frames):
    source = f"{frozen(30)} ! jpegenc ! image/jpeg,width=1920,height=1080,framerate=30/1"
    per_frame = PerFrame(source, *frames)
    return Group(
        [Row("mjpeg-unwatched", "MJPEG camera 1080p at 30 fps, running, no reader", "ms CPU", "ours", "gst-launch", 1.2,
             1.05,
             "Processor time a frame of a live camera that sends JPEG and whose frames nobody takes, against gst-launch "
             "... ! fakesink, which decodes nothing; making the JPEG is in both. It would be about 2 if each frame were "
             "decoded.")],
        {"gst-launch": lambda: per_frame.plain("! fakesink"),
         "ours": lambda: per_frame.ours("ours", "unwatched")}, delivered=per_frame.delivered)


def sizes(width, height):
    per_frame = PerFrame(frozen(120, width=width, height=height), 30, 330, counts_instructions=True)
    return Group(
        [Row(f"size-{width}x{height}", f"pass-through {width}x{height}, callback", "instr/kpx", "ours", "gst-launch",
             about="Instructions (callgrind) a thousand pixels that pass through, against gst-launch ... ! tee ! queue "
                   "! videoconvert ! fakesink: nothing looks at the pixels, so the larger the cheaper.",
             scale=1e3 / (width * height))],
        {"gst-launch": lambda: per_frame.plain("! tee ! queue ! videoconvert ! fakesink"),
         "ours": lambda: per_frame.ours("ours", "preview", "callback", "native", 1)}, delivered=per_frame.delivered)


def memory():
    source = live(60).format(120)

    def ours():
        write_source(source)
        return peak(BENCH, "preview", "callback", "BGRx", 1, WORK)

    return Group(
        [Row("memory-bgrx", "peak memory, live 1080p I420 → BGRx", "MB", "ours.all", "C.all", 10, None,
             "Peak of the memory of a process that takes 1080p in BGRx, OpenCV in BGR: ours, and that of others, minus "
             "that of the appsink in C, in MB.", peers={"Python": "Python.all", "OpenCV": "OpenCV.all"}, differs=True,
             why="Nine of it are pages of the program's own file, in which Swift's runtime and Foundation are: they are "
                 "shared by all that run it, and the system takes them back when it needs room. `memory-own` is the "
                 "rest."),
         Row("memory-own", "the same without pages of files", "MB", "ours.own", "C.own", 10, None,
             "What of it is in no file (RssAnon), and so belongs to the process alone: frames and heap.",
             peers={"Python": "Python.own", "OpenCV": "OpenCV.own"}, differs=True)],
        {"C": lambda: peak(*peers.in_c("appsink"), f"{source} ! queue {BGRX}"), "ours": ours},
        {"Python": lambda: peak(*peers.python("preview_gi"), f"{source} ! queue {BGRX}"),
         "OpenCV": lambda: peak(
             *peers.python("preview_opencv"), f"{source} ! queue ! videoconvert ! video/x-raw,format=BGR")})


def groups(quick):
    live_frames = (60, 300) if quick else (120, 720)
    slow_frames = (30, 120) if quick else (60, 300)
    halved = [count // 2 for count in live_frames]
    return [
        preview("cpu-{}", "preview, live 1080p at 120 fps, {}", "ms CPU", live(120), live_frames,
                "! tee ! queue ! fakesink", {"callback": (1.10, 1.03), "sequence": (1.10, 1.03)},
                "Processor time a frame of a live 1080p preview at 120 fps, native format, against gst-launch ... ! "
                "tee ! queue ! fakesink."),
        preview("cpu-bgrx", "preview I420 → BGRx, live 1080p at 60 fps", "ms CPU", live(60), halved,
                f"! queue {BGRX} ! fakesink", {"callback": (1.05, 1.02)},
                "The same at 60 fps, converted to BGRx, against ... ! queue ! videoconvert ! fakesink. OpenCV takes "
                "BGR, having no BGRx.",
                pixels="BGRx", peer_chain=f"! queue {BGRX}",
                opencv_chain="! queue ! videoconvert ! video/x-raw,format=BGR"),
        preview("instr-{}", "preview pass-through, {}", "k instr.", frozen(120), (60, 660),
                "! tee ! queue ! videoconvert ! fakesink", {"callback": (1.25, 1.13), "sequence": (2.2, 1.5)},
                "Instructions a frame (callgrind) with a source that costs nothing (imagefreeze, 1080p I420), against "
                "gst-launch ... ! tee ! queue ! videoconvert ! fakesink.",
                scale=1e-3, counts=True, peer_chain="! tee ! queue ! videoconvert"),
        *(subscribers(count, live_frames) for count in (1, 2, 4, 8)),
        converted(halved),
        zoomed(slow_frames),
        mjpeg(slow_frames),
        unwatched(slow_frames),
        memory(),
        *(sizes(*size) for size in SIZES),
    ]


SIZES = ((640, 480), (1280, 720), (1920, 1080), (3840, 2160), (7680, 4320))
