"""cpio archives, as a Linux kernel unpacks them for its first root file system."""

DIRECTORY, REGULAR, EXECUTABLE, LINK, DEVICE = 0o040755, 0o100644, 0o100755, 0o120777, 0o020600


def cpio(entries):
    """A newc archive of (name, mode, bytes)."""
    out = bytearray()
    for number, (name, mode, data) in enumerate(list(entries) + [("TRAILER!!!", 0, b"")], 1):
        raw = name.encode() + b"\0"
        fields = [number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(raw), 0]
        out += b"070701" + b"".join(b"%08X" % field for field in fields) + raw
        out += bytes(-len(out) % 4) + data
        out += bytes(-len(out) % 4)
    return bytes(out)
