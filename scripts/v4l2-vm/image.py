"""The machine's kernel, first root file system and tools, made once and then cached."""

import glob
import lzma
import os
import re
import shutil
import subprocess
import tempfile
import zlib

from archive import DEVICE, DIRECTORY, EXECUTABLE, LINK, cpio
from common import CACHE, fail, guest_file, locked_cache, note

# Downloaded and unpacked in the cache, never installed.
PACKAGES = ["busybox-static", "udev", "kmod", "libkmod2"]
KERNEL_META = "linux-image-amd64"

# Loaded before the root file system is there.
BOOT_MODULES = ["virtio_pci", "virtio_console", "9pnet_virtio", "9p", "overlay"]
# Offered to modprobe in the guest (with what they depend on).
GUEST_MODULES = ["vivid", "uvcvideo", "dummy_hcd", "libcomposite", "usb_f_uvc",
                 "raw_gadget", "vhci-hcd", "usbip-vudc", "snd-dummy", "snd-aloop",
                 "snd-seq", "snd-pcm", "uinput", "uhid", "loop", "fuse"]

APPLETS = ["sh", "mount", "umount", "mkdir", "insmod", "ln", "cp", "cat", "echo",
           "switch_root", "sleep", "chmod", "mknod"]


# ---------------------------------------------------------------- packages

class Packages:
    """apt, with the machine's own package lists or, where those are missing or too old to
    download by, with lists of its own. Needs no root rights either way."""

    def __init__(self):
        self.options = []

    def run(self, words, folder=None):
        return subprocess.run([words[0]] + self.options + words[1:], cwd=folder,
                              capture_output=True, text=True)

    def own_lists(self):
        lists, archives = os.path.join(CACHE, "apt/lists"), os.path.join(CACHE, "apt/archives")
        for folder in (lists, archives):
            os.makedirs(os.path.join(folder, "partial"), exist_ok=True)
        self.options = ["-o", "Dir::State::Lists=" + lists,
                        "-o", "Dir::Cache=" + os.path.dirname(archives),
                        "-o", "APT::Sandbox::User=root",
                        "-o", "Debug::NoLocking=1"]
        note("fetching package lists")
        got = self.run(["apt-get", "-qq", "update"])
        if got.returncode:
            fail("apt-get update failed\n" + got.stderr)

    def kernel(self):
        """The package that linux-image-amd64 stands for today."""
        found = re.search(r"Depends: (linux-image-\S+)",
                          self.run(["apt-cache", "depends", KERNEL_META]).stdout)
        return found.group(1) if found else None

    def download(self, names, into):
        return self.run(["apt-get", "-qq", "download"] + names, into)


def fetch(kernel, into):
    """Download the packages; returns the kernel's name."""
    packages = Packages()
    name = kernel or packages.kernel()
    got = packages.download(PACKAGES + [name], into) if name else None
    if got is None or got.returncode:
        packages.own_lists()
        name = kernel or packages.kernel()
        if not name:
            fail("no package %s in the sources of apt; it is Debian's" % KERNEL_META)
        got = packages.download(PACKAGES + [name], into)
        if got.returncode:
            fail("apt-get download failed\n" + got.stderr)
    return name


def unpack(deb, into):
    """Unpack for a merged /usr, so that it lies over such a root."""
    with tempfile.TemporaryDirectory(dir=os.path.dirname(into)) as part:
        subprocess.run(["dpkg-deb", "-x", deb, part], check=True)
        for name in ("bin", "sbin", "lib", "lib64"):
            source = os.path.join(part, name)
            if os.path.isdir(source):
                shutil.copytree(source, os.path.join(part, "usr", name),
                                symlinks=True, dirs_exist_ok=True)
                shutil.rmtree(source)
        shutil.copytree(part, into, symlinks=True, dirs_exist_ok=True)


# ---------------------------------------------------------------- modules and kernel

def module_name(path):
    return re.sub(r"\.ko(\.xz)?$", "", os.path.basename(path)).replace("-", "_")


def module_bytes(path):
    with (lzma.open if path.endswith(".xz") else open)(path, "rb") as file:
        return file.read()


def module_needs(path):
    found = re.search(rb"\0depends=([^\0]*)\0", module_bytes(path))
    names = found.group(1).decode() if found else ""
    return [name.replace("-", "_") for name in names.split(",") if name]


def in_order(names, paths):
    """The modules' files with what they need first; built-in ones left out."""
    order = []

    def visit(name):
        path = paths.get(name.replace("-", "_"))
        if path and path not in order:
            for need in module_needs(path):
                visit(need)
            if path not in order:
                order.append(path)

    for name in names:
        visit(name)
    return order


def plain_kernel(image):
    """The ELF kernel in a bzImage, which QEMU starts without unpacking it slowly; else all."""
    with open(image, "rb") as file:
        data = file.read()
    at = data.find(b"\xfd7zXZ\0")
    if at >= 0:
        try:
            kernel = lzma.LZMADecompressor().decompress(data[at:])
        except lzma.LZMAError:
            return data
        if kernel[:4] == b"\x7fELF":
            return kernel
    return data


def initramfs(busybox, modules):
    entries = [(name, DIRECTORY, b"") for name in
               ("bin", "dev", "proc", "sys", "modules", "job", "tools", "lower", "upper", "root")]
    entries.append(("dev/console", DEVICE, b""))
    with open(busybox, "rb") as file:
        entries.append(("bin/busybox", EXECUTABLE, file.read()))
    entries += [("bin/" + name, LINK, b"busybox") for name in APPLETS]
    entries.append(("init", EXECUTABLE, guest_file("init").encode()))
    order = []
    for path in modules:
        order.append(module_name(path) + ".ko")
        entries.append(("modules/" + order[-1], EXECUTABLE, module_bytes(path)))
    entries.append(("modules/order", EXECUTABLE, ("\n".join(order) + "\n").encode()))
    return cpio(entries)


# ---------------------------------------------------------------- the cache

def cache_format():
    """Differs when what is cached would: it is made by this file from that script."""
    with open(__file__, "rb") as file:
        return "%08x" % zlib.crc32(file.read() + guest_file("init").encode())


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def make(kernel, work):
    debs, tools, image = (os.path.join(work, name) for name in ("debs", "tools", "image"))
    for folder in (debs, tools, image):
        os.mkdir(folder)
    kernel = fetch(kernel, debs)
    for deb in sorted(glob.glob(os.path.join(debs, "*.deb"))):
        unpack(deb, image if os.path.basename(deb).startswith("linux-image") else tools)
    release = os.listdir(os.path.join(image, "usr/lib/modules"))[0]
    there = os.path.join(image, "usr/lib/modules", release)
    here = os.path.join(tools, "usr/lib/modules", release)
    paths = {module_name(path): path for path in
             glob.glob(os.path.join(there, "kernel/**/*.ko*"), recursive=True)}
    if "vivid" not in paths:
        fail(kernel + " has no vivid module; Debian's cloud kernels do not")
    for path in in_order(BOOT_MODULES + GUEST_MODULES, paths):
        target = os.path.join(here, os.path.relpath(path, there).removesuffix(".xz"))
        os.makedirs(os.path.dirname(target), exist_ok=True)
        write(target, module_bytes(path))
    for path in glob.glob(os.path.join(there, "modules.*")):
        shutil.copy(path, here)
    library = glob.glob(os.path.join(tools, "usr/lib/*/libkmod.so.2"))[0]
    subprocess.run(
        ["depmod", "-b", os.path.join(tools, "usr"), release], check=True,
        executable=os.path.join(tools, "usr/bin/kmod"),
        env={**os.environ, "LD_LIBRARY_PATH": os.path.dirname(library)})
    write(os.path.join(work, "initramfs"),
          initramfs(os.path.join(tools, "usr/bin/busybox"), in_order(BOOT_MODULES, paths)))
    write(os.path.join(work, "kernel"),
          plain_kernel(glob.glob(os.path.join(image, "boot/vmlinuz-*"))[0]))
    shutil.rmtree(debs)
    shutil.rmtree(image)
    write(os.path.join(work, "done"), (release + "\n").encode())
    return kernel


def prepare(kernel):
    """Return the folder with kernel, initramfs and tools, made at the first use."""
    prefix = os.path.join(CACHE, cache_format() + "-")
    with locked_cache():
        # Stay with a kernel that is there: tests should not change by themselves.
        there = glob.glob("%s%s/done" % (prefix, glob.escape(kernel) if kernel else "*"))
        if there:
            return os.path.dirname(max(there, key=os.path.getmtime))
        note("preparing a machine in " + CACHE)
        with tempfile.TemporaryDirectory(dir=CACHE) as work:
            final = prefix + make(kernel, work)
            shutil.rmtree(final, ignore_errors=True)
            os.mkdir(final)
            # `done` last: without it the folder does not count.
            for name in sorted(os.listdir(work), key=lambda name: name == "done"):
                os.rename(os.path.join(work, name), os.path.join(final, name))
        return final
