"""The pictures that ours and the others are given, as GStreamer descriptions; `{}` is how many frames there are."""

JPEG_COLORIMETRY = "1:4:0:0"


def caps(rate, width=1920, height=1080, pixels="I420", colorimetry=None):
    text = f"video/x-raw,format={pixels},width={width},height={height},framerate={rate}/1"
    return f"{text},colorimetry={colorimetry}" if colorimetry else text


def bars(count=None, colorimetry=None):
    limit = f"num-buffers={count} " if count else ""
    return f"videotestsrc is-live=true {limit}pattern=smpte ! {caps(30, colorimetry=colorimetry)}"


def live(rate, **layout):
    """Frames that are filled anew, each at its time."""
    return f"videotestsrc is-live=true pattern=black num-buffers={{}} ! {caps(rate, **layout)}"


def frozen(rate, pattern="black", **layout):
    """The same frame again and again, each at its time: a source that costs nothing."""
    form = caps(rate, **layout)
    return (f"videotestsrc num-buffers=1 pattern={pattern} ! {form}"
            f" ! imagefreeze is-live=true num-buffers={{}} ! {form}")
