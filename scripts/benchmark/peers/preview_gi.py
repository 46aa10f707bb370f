"""The plainest reader of frames in Python: an appsink that keeps one frame. Prints how many it got, as JSON.

usage: preview_gi.py DESCRIPTION
"""

import json
import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstApp", "1.0")
from gi.repository import Gst, GstApp  # noqa: E402,F401: GstApp gives the sink its methods

Gst.init(None)
pipeline = Gst.parse_launch(f"{sys.argv[-1]} ! appsink name=sink drop=true max-buffers=1 sync=false")
sink = pipeline.get_by_name("sink")
pipeline.set_state(Gst.State.PLAYING)
frames = 0
while sink.pull_sample():
    frames += 1
failed = pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR)
pipeline.set_state(Gst.State.NULL)
if failed:
    sys.exit(f"preview_gi: {failed.parse_error()[0].message}")
print(json.dumps({"frames": frames}))
