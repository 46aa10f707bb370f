"""Encodes the same I420 frame COUNT times with libjpeg-turbo, quality 85, and does nothing else.

usage: turbojpeg.py FILE WIDTH HEIGHT COUNT
"""

import ctypes
import sys


class Encoder:
    """libjpeg-turbo, set as camera-core sets GStreamer's encoder."""

    def __init__(self, frame, width, height):
        self.frame, self.width, self.height = frame, width, height
        self.library = ctypes.CDLL("libturbojpeg.so.0")
        self.library.tjInitCompress.restype = ctypes.c_void_p
        self.handle = ctypes.c_void_p(self.library.tjInitCompress())
        self.jpeg, self.size = ctypes.c_void_p(), ctypes.c_ulong(0)

    def encode(self):
        """The JPEG, where the library wrote it; valid until the next."""
        sampling_420, accurate_dct, padding = 2, 4096, 4
        if self.library.tjCompressFromYUV(
            self.handle, self.frame, self.width, padding, self.height, sampling_420,
            ctypes.byref(self.jpeg), ctypes.byref(self.size), 85, accurate_dct
        ):
            raise OSError("libjpeg-turbo could not encode the frame")
        return (ctypes.c_char * self.size.value).from_address(self.jpeg.value)

    def close(self):
        self.library.tjFree(self.jpeg)
        self.library.tjDestroy(self.handle)


if __name__ == "__main__":
    with open(sys.argv[1], "rb") as file:
        encoder = Encoder(file.read(), int(sys.argv[2]), int(sys.argv[3]))
    for _ in range(int(sys.argv[4])):
        encoder.encode()
