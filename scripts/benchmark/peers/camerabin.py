"""GStreamer's own camera, camerabin, on a test source.

usage: camerabin.py frame COUNT FOLDER     the first 1080p frame; its time is the process's
       camerabin.py photo COUNT FOLDER     so many 1080p photos, without a pause; the same
       camerabin.py shutter COUNT FOLDER   call → photo is done, as ms in JSON
       camerabin.py switch COUNT FOLDER    change of camera → first new 720p frame, as ms in JSON
"""

import json
import pathlib
import random
import sys
import threading
import time

import gi

gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst  # noqa: E402

LIMIT = 20.0


class Camera:
    """camerabin with a videotestsrc as its camera; frames and photos are waited for."""

    def __init__(self, width, height):
        self.caps = Gst.Caps.from_string(f"video/x-raw,format=I420,width={width},height={height},framerate=30/1")
        self.frame = threading.Event()
        self.bin = make("camerabin")
        self.wrapper = make("wrappercamerabinsrc")
        self.wrapper.set_property("video-source", self.source("smpte"))
        self.bin.set_property("camera-source", self.wrapper)
        self.bin.set_property("viewfinder-caps", self.caps)
        self.bin.set_property("image-capture-caps", self.caps)
        sink = make("fakesink")
        sink.set_property("signal-handoffs", True)
        sink.connect("handoff", lambda *_: self.frame.set())
        self.bin.set_property("viewfinder-sink", sink)
        self.play()

    @staticmethod
    def source(pattern):
        source = make("videotestsrc")
        source.set_property("is-live", True)
        Gst.util_set_object_arg(source, "pattern", pattern)
        return source

    def play(self):
        self.frame.clear()
        if self.bin.set_state(Gst.State.PLAYING) == Gst.StateChangeReturn.FAILURE:
            sys.exit("camerabin: it does not start")
        if not self.frame.wait(LIMIT):
            sys.exit("camerabin: no frame came")

    def switch(self, pattern):
        # It takes another source only when it is stopped.
        self.bin.set_state(Gst.State.NULL)
        self.wrapper.set_property("video-source", self.source(pattern))
        self.play()

    def photo(self, path):
        self.bin.set_property("location", str(path))
        self.bin.emit("start-capture")
        bus, end = self.bin.get_bus(), time.monotonic() + LIMIT
        while time.monotonic() < end:
            message = bus.timed_pop_filtered(Gst.SECOND, Gst.MessageType.ELEMENT | Gst.MessageType.ERROR)
            if message and message.type == Gst.MessageType.ERROR:
                sys.exit(f"camerabin: {message.parse_error()[0].message}")
            if message and message.get_structure().get_name() == "image-done":
                return
        sys.exit("camerabin: no photo came")

    def close(self):
        self.bin.set_state(Gst.State.NULL)


def make(name):
    element = Gst.ElementFactory.make(name)
    if not element:
        sys.exit(f"camerabin: there is no element {name}")
    return element


def main():
    what, count, folder = sys.argv[1], int(sys.argv[2]), pathlib.Path(sys.argv[3])
    Gst.init(None)
    loop = GLib.MainLoop()
    threading.Thread(target=loop.run, daemon=True).start()
    camera, times = Camera(*((1280, 720) if what == "switch" else (1920, 1080))), []
    photo = folder / "camerabin.jpg"
    for index in range(0 if what == "frame" else count):
        if what != "photo":
            time.sleep(random.uniform(0.07, 0.1))
        began = time.monotonic()
        if what == "switch":
            camera.switch("smpte" if index % 2 else "ball")
        else:
            camera.photo(photo)
        times.append((time.monotonic() - began) * 1000)
        if what != "switch" and not photo.stat().st_size:
            sys.exit("camerabin: the photo is empty")
    camera.close()
    print(json.dumps({"milliseconds": times}))


main()
