"""The bench scene of the USB camera made in software: pictures that follow the controls."""

import json
import math
import os
import time

from usb_controls import (
    APERTURE_PRIORITY, AUTO_FOCUS, AUTO_WHITE, BRIGHTNESS, CONTRAST, CONTROLS, EXPOSURE,
    EXPOSURE_MODE, FOCUS, GAIN, PAN_TILT, SATURATION, WHITE, ZOOM)


class Jpeg:
    """A picture whose luma can be scaled and whose planes can be shifted without decoding it:
    by its quantisation table, and by the first coefficient of each plane, on which all others
    build."""

    headers = {}

    def __init__(self, data):
        end = data.index(b"\xff\xda")
        end += 2 + int.from_bytes(data[end + 2:end + 4], "big")
        self.header = data[:end]
        if self.header not in Jpeg.headers:
            Jpeg.headers[self.header] = self.read(self.header)
        self.table, self.steps, self.blocks, self.codes = Jpeg.headers[self.header]
        body = data[end:-2].replace(b"\xff\0", b"\xff")
        number = int.from_bytes(body, "big")
        # The last blocks are plain chroma, which ends in a 0 bit: what follows is padding.
        padding = (~number & (number + 1)).bit_length() - 1
        self.first, used = self.split("{:0{}b}".format(
            int.from_bytes(body[:2000], "big"), 8 * len(body[:2000])))
        self.length = 8 * len(body) - padding - used
        self.rest = (number >> padding) & ((1 << self.length) - 1)

    @staticmethod
    def read(header):
        """Where luma's table is, each plane's step, and the MCU's blocks with their codes."""
        tables, codes, planes, at = {}, {}, {}, 2
        while at < len(header):
            kind, length = header[at + 1], int.from_bytes(header[at + 2:at + 4], "big")
            part, end = at + 4, at + 2 + length
            if kind == 0xDB:
                while part < end:
                    tables[header[part]] = part + 1
                    part += 65
            elif kind == 0xC4:
                while part < end:
                    counts, symbol, code = header[part + 1:part + 17], part + 17, 0
                    these = codes[header[part]] = {}
                    for size, count in enumerate(counts, 1):
                        for _ in range(count):
                            these["{:0{}b}".format(code, size)] = header[symbol]
                            symbol, code = symbol + 1, code + 1
                        code <<= 1
                    part = symbol
            elif kind == 0xC0:
                for number in range(header[part + 5]):
                    name, sampling, table = header[part + 6 + 3 * number:part + 9 + 3 * number]
                    planes[name] = [number, (sampling >> 4) * (sampling & 15), table]
            elif kind == 0xDA:
                blocks = []
                for number in range(header[part]):
                    name, choice = header[part + 1 + 2 * number:part + 3 + 2 * number]
                    blocks += [(planes[name][0], codes[choice >> 4],
                                codes[0x10 | choice & 15])] * planes[name][1]
            at = end
        steps = [header[tables[table]] for _, _, table in planes.values()]
        words = {plane: {size: code for code, size in dc.items()} for plane, dc, _ in blocks}
        return tables[planes[min(planes)][2]], steps, blocks, words

    def split(self, bits):
        """The first MCU as [(plane, its first coefficient) | (None, bits)], and its length."""
        at = 0

        def symbol(table):
            nonlocal at
            end = at + 1
            while bits[at:end] not in table:
                end += 1
            found, at = table[bits[at:end]], end
            return found

        parts, seen, since = [], set(), 0
        for plane, dc, ac in self.blocks:
            before = at
            size = symbol(dc)
            value = int(bits[at:at + size] or "0", 2)
            if size and bits[at] == "0":
                value -= (1 << size) - 1
            at += size
            if plane not in seen:
                seen.add(plane)
                parts += [(None, bits[since:before]), (plane, value)]
                since = at
            count = 1
            while count < 64:
                found = symbol(ac)
                if not found:
                    break
                count += (found >> 4) + 1
                at += found & 15
        return parts + [(None, bits[since:at])], at

    def changed(self, scale, middle, shift):
        """scale: of luma, from its black; middle: luma to get right; shift: of each plane."""
        luma = slice(self.table, self.table + 64)
        steps = [min(max(round(step * scale), 1), 255) for step in self.header[luma]]

        def black(step):                       # JPEG scales around 128
            return shift[0] + 128 * (step / self.steps[0] - 1)

        def error(step):                       # of whole steps, at black and at the middle
            away = round(8 * black(step) / step) * step / 8 - black(step)
            return abs(away) + abs(away + (step / self.steps[0] - scale) * middle)

        steps[0] = min(range(max(steps[0] - 1, 1), min(steps[0] + 2, 256)), key=error)
        shift = [black(steps[0])] + shift[1:]
        bits = ""
        for plane, value in self.first:
            if plane is None:
                bits += value
                continue
            value += round(8 * shift[plane] / (self.steps[plane] if plane else steps[0]))
            value = min(max(value, -2047), 2047)           # as far as the codes reach
            size = abs(value).bit_length()
            bits += self.codes[plane][size]
            if size:
                bits += "{:0{}b}".format(value if value > 0 else value + (1 << size) - 1, size)
        length = len(bits) + self.length
        padding = -length % 8
        number = (((int(bits, 2) << self.length) | self.rest) + 1 << padding) - 1
        body = number.to_bytes((length + padding) // 8, "big").replace(b"\xff", b"\xff\0")
        return (self.header[:luma.start] + bytes(steps) + self.header[luma.stop:] + body
                + b"\xff\xd9")


class Bench:
    """The bench scene as the controls show it."""

    WHITE_AT = 210                     # exposure time at which white paper reaches 255
    TARGET = 110                       # automatic exposure's mean luma
    DARK = 16                          # how much darker it starts
    SHARP = 120                        # automatic focus: the middle
    LIGHT = 4000                       # the lamps, in kelvin
    PACE = 0.22                        # seconds for the automatics to do 63 % of the way
    HIGHEST = 512                      # luma before clipping; decoders take a bit over 600

    def __init__(self, pictures):
        self.pictures = pictures
        self.indexes, self.exact = {}, {}
        for control in (EXPOSURE, FOCUS, WHITE):
            control.info |= 0x08               # may change by themselves

    def start(self, size):
        path = os.path.join(self.pictures, "%dx%d" % size)
        if size not in self.indexes:
            with open(path + ".json") as file:
                self.indexes[size] = json.load(file), os.open(path + ".jpegs", os.O_RDONLY)
        self.views, self.file = self.indexes[size]
        self.seen = self.view = self.place = self.state = None
        self.since = None
        self.look()
        if EXPOSURE_MODE.value == APERTURE_PRIORITY:
            EXPOSURE.drift(self.wanted / self.gain() / self.DARK)

    @staticmethod
    def gain():
        return 1 + GAIN.value / 32

    def luma(self, light):
        return sum(share * min(255, 255 * paper * light) for paper, share in self.view["luma"])

    def look(self):
        """Choose the view, and what exposure it wants."""
        if self.seen == (ZOOM.now, PAN_TILT.now):
            return
        self.seen = ZOOM.now, PAN_TILT.now
        pan, tilt = (0 if abs(one) < 18000 else math.copysign(1, one)
                     for one in PAN_TILT.values)
        view = min(self.views, key=lambda one: (
            abs(math.log(one["zoom"] / ZOOM.value)),
            abs(one["pan"] - pan) + abs(one["tilt"] - tilt)))
        if view is not self.view:
            self.view = view                           # then search where luma() is TARGET
            low, high = 0.0, 1000.0
            for _ in range(24):
                middle = (low + high) / 2
                low, high = (middle, high) if self.luma(middle) < self.TARGET else (low, middle)
            self.wanted = high * self.WHITE_AT

    def follow(self, control, goal, share):
        now = self.exact.get(control)
        if now is None or now[1] != control.now:       # set by the host since
            now = control.value, None
        now = now[0] + (goal - now[0]) * share
        control.drift(now)
        self.exact[control] = now, control.now

    def picture(self):
        now = time.monotonic()
        share = 1 - math.exp(((self.since or now) - now) / self.PACE)
        self.since = now
        self.look()
        if EXPOSURE_MODE.value == APERTURE_PRIORITY:
            self.follow(EXPOSURE, self.wanted / self.gain(), share)
        if AUTO_FOCUS.value:
            self.follow(FOCUS, self.SHARP, share)
        if AUTO_WHITE.value:
            self.follow(WHITE, self.LIGHT, share)
        state = [control.now for control in CONTROLS.values()]
        if state != self.state:
            self.state, self.made = state, self.make()
        return self.made

    def make(self):
        light = EXPOSURE.value * self.gain() / self.WHITE_AT
        focuses, bases = self.view["focus"], self.view["bases"]
        focus = min(focuses, key=lambda one: abs(one - FOCUS.value))
        base = max([one for one in bases if 2 ** one <= light], default=bases[0])
        place = self.view["at"][0], focus, base
        if place != self.place:
            number = focuses.index(focus) * len(bases) + bases.index(base)
            at, end = self.view["at"][number:number + 2]
            self.place, self.jpeg = place, Jpeg(os.pread(self.file, end - at, at))
        contrast = CONTRAST.value / 32
        shift = BRIGHTNESS.value + 128 * (1 - contrast)
        brightest = min(255, 255 * self.view["luma"][-1][0] * 2 ** base)
        scale = min(contrast * light / 2 ** base, (self.HIGHEST - shift) / brightest)
        red = math.sqrt(WHITE.value / self.LIGHT)
        cast = self.luma(light) * SATURATION.value / 60        # the same everywhere
        return self.jpeg.changed(scale, self.luma(2 ** base), [
            shift, 0.564 * cast * (1 / red - 1), 0.713 * cast * (red - 1)])

