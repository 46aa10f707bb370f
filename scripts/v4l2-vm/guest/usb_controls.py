"""The controls of the USB camera made in software, with the ranges it claims."""

import struct

CAMERA, PROCESSING, OUTPUT = 1, 2, 3           # the units that they belong to


class Control:
    def __init__(self, form, low, high, step, default):
        self.layout = struct.Struct("<" + form)
        many = (lambda value: [value] * len(form))
        self.low, self.high, self.step, self.default = (
            self.layout.pack(*many(value)) for value in (low, high, step, default))
        self.now = self.default
        self.info = 0x03                       # may be read and set

    @property
    def values(self):
        return self.layout.unpack(self.now)

    @property
    def value(self):
        return self.values[0]

    def drift(self, value):
        """Set by the device itself, within the limits."""
        low, high, step = (self.layout.unpack(one)[0] for one in (self.low, self.high, self.step))
        value = min(max(value, low), high)
        self.now = self.layout.pack(low + round((value - low) / step) * step)


# (unit, selector): what uvcvideo shows as V4L2 controls
CONTROLS = {
    (CAMERA, 0x02): Control("B", 0, 0, 0x09, 8),              # exposure mode: manual, aperture
    (CAMERA, 0x04): Control("I", 3, 2047, 1, 250),            # exposure time
    (CAMERA, 0x06): Control("H", 0, 250, 5, 0),               # focus
    (CAMERA, 0x08): Control("B", 0, 1, 1, 1),                 # automatic focus
    (CAMERA, 0x0B): Control("H", 100, 500, 1, 100),           # zoom
    (CAMERA, 0x0D): Control("ii", -36000, 36000, 3600, 0),    # pan, tilt
    (PROCESSING, 0x02): Control("h", -64, 64, 1, 0),          # brightness
    (PROCESSING, 0x03): Control("H", 0, 95, 1, 32),           # contrast
    (PROCESSING, 0x04): Control("H", 0, 100, 1, 0),           # gain
    (PROCESSING, 0x05): Control("B", 0, 2, 1, 1),             # power line frequency
    (PROCESSING, 0x06): Control("h", -180, 180, 1, 0),        # hue
    (PROCESSING, 0x07): Control("H", 0, 100, 1, 60),          # saturation
    (PROCESSING, 0x08): Control("H", 0, 7, 1, 3),             # sharpness
    (PROCESSING, 0x0A): Control("H", 2800, 6500, 10, 4600),   # white balance
    (PROCESSING, 0x0B): Control("B", 0, 1, 1, 1),             # automatic white balance
}
(EXPOSURE_MODE, EXPOSURE, FOCUS, AUTO_FOCUS, ZOOM, PAN_TILT, BRIGHTNESS, CONTRAST, GAIN, _, _,
 SATURATION, _, WHITE, AUTO_WHITE) = CONTROLS.values()
APERTURE_PRIORITY = 8
CAMERA_BITS = bytes([0x2A, 0x0A, 0x02])
PROCESSING_BITS = bytes([0x5F, 0x16])
