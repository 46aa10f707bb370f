"""One run of the machine: from the options to the command's status."""

import ctypes
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time

import pictures
from archive import DIRECTORY, REGULAR, cpio
from common import EXIT_MACHINE, EXIT_TIMEOUT, fail, guest_file, note

# Names handed to the command unless --env says otherwise.
ENV_NAMES = ["PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TZ", "TERM",
             "LD_LIBRARY_PATH"]
ENV_PREFIXES = ("CAMERA_", "GST_", "G_MESSAGES_", "G_DEBUG", "SWIFT_")

GUEST_FILES = ["stage2", "unplug-camera", "plug-camera", "usb-camera", "usb_controls.py",
               "usb_bench.py"]


def environment(options):
    chosen = {name: value for name, value in os.environ.items()
              if name in ENV_NAMES or name.startswith(ENV_PREFIXES)}
    chosen["XDG_RUNTIME_DIR"] = "/run/user/0"
    chosen["PATH"] = "/run/v4l2-vm/bin:" + chosen.get("PATH", os.defpath)
    for item in options.env:
        name, equals, value = item.partition("=")
        if equals:
            chosen[name] = value
        elif name in os.environ:
            chosen[name] = os.environ[name]
    return chosen


def camera_script(options):
    """Shell lines that bring the cameras up."""
    lines = []
    count = options.cameras
    if count:
        parameters = {
            "n_devs": str(count),
            "node_types": ",".join(["0x20001" if options.metadata else "0x1"] * count),
            "num_inputs": ",".join(["1"] * count),
            "input_types": ",".join(["0x0"] * count),      # 0: webcam
            "multiplanar": ",".join(["1"] * count),        # 1: single-planar
        }
        for item in options.vivid:
            name, _, value = item.partition("=")
            parameters[name] = value
        lines.append("modprobe vivid " + " ".join(
            shlex.quote(name + "=" + value) for name, value in parameters.items()))
    if options.usb_camera:
        lines.append("modprobe -a vhci-hcd uvcvideo")
    for port, camera in enumerate(options.usb_camera):
        state = {"": camera.name, ".serial": camera.serial or "SN%04d" % port,
                 ".pictures": pictures.of_camera(port, camera.bench)}
        lines += ["echo %s > usb-camera.%d%s" % (shlex.quote(value), port, suffix)
                  for suffix, value in state.items()]
    if options.usb_camera:
        lines.append("bin/plug-camera " + " ".join(
            "usb%d" % port for port in range(len(options.usb_camera))))
    return "\n".join(lines + ["true", ""])


def job(options, shares):
    """What this run adds to the first root file system."""
    lines = ["export %s=%s" % (name, shlex.quote(value))
             for name, value in environment(options).items()]
    lines.append("cd " + shlex.quote(options.cwd) + " || exit 126")
    lines.append("exec " + " ".join(shlex.quote(word) for word in options.command))
    files = {name: guest_file(name) for name in GUEST_FILES}
    files.update({"cameras": camera_script(options),
                  "command": "\n".join(lines) + "\n",
                  "shares": "".join(share + "\n" for share in shares)})
    return cpio([("job", DIRECTORY, b"")] +
                [("job/" + name, REGULAR, text.encode()) for name, text in files.items()])


def qemu_command(options, machine, initrd, shares, pipes, log):
    def comma(path):                     # QEMU's escape for a comma in an option
        return path.replace(",", ",,")

    def export(tag, path, readonly):
        return ["-fsdev", "local,id=%s,path=%s,security_model=none,multidevs=remap%s"
                % (tag, comma(path), ",readonly=on" if readonly else ""),
                "-device", "virtio-9p-pci,fsdev=%s,mount_tag=%s" % (tag, tag)]

    line = ["console=ttyS0", "quiet", "panic=-1", "random.trust_cpu=on", "mitigations=off",
            "audit=0", "apparmor=0", "cryptomgr.notests", "rcupdate.rcu_expedited=1",
            "nokaslr", "no_timer_check", "tsc=reliable"]
    if options.kvm:
        accelerate = ["-accel", "kvm", "-cpu", "host"]
    else:
        accelerate = ["-accel", "tcg,thread=multi,tb-size=512", "-cpu", "max"]
    command = ["qemu-system-x86_64", "-nodefaults", "-no-user-config", "-display", "none",
               "-machine", "q35", *accelerate,
               "-smp", str(options.cpus), "-m", str(options.memory), "-no-reboot",
               "-kernel", os.path.join(machine, "kernel"), "-initrd", initrd,
               "-append", " ".join(line),
               "-chardev", "file,id=log,path=" + comma(log), "-serial", "chardev:log",
               "-device", "virtio-serial-pci"]
    for name, descriptor in pipes.items():
        command += ["-chardev", "file,id=%s,path=/dev/fd/%d,append=on" % (name, descriptor),
                    "-device", "virtserialport,chardev=%s,name=%s" % (name, name)]
    command += export("root", "/", True)
    command += export("tools", os.path.join(machine, "tools"), True)
    for number, share in enumerate(shares):
        command += export("share%d" % number, share, False)
    return command


def pump(descriptor, target):
    is_open = True
    while data := os.read(descriptor, 65536):
        # Nobody may read what comes out; the machine must be rid of it all the same.
        try:
            while is_open and data:
                data = data[os.write(target, data):]
        except OSError:
            is_open = False


def run(options, machine):
    began = time.monotonic()
    state = {}
    shares = options.writable or ([] if options.cwd == "/" else [options.cwd])
    shares = [os.path.realpath(share) for share in shares]
    for share in shares:
        if share == "/" or not os.path.isdir(share):
            fail("not a folder to share: " + share)
    with tempfile.TemporaryDirectory(prefix="v4l2-vm-") as work:
        initrd = os.path.join(work, "initrd")
        with open(initrd, "wb") as file:
            with open(os.path.join(machine, "initramfs"), "rb") as base:
                file.write(base.read())
            file.write(job(options, shares))
        log = options.kernel_log or os.path.join(work, "console")
        ends = {name: os.pipe() for name in ("control", "out", "err")}
        command = qemu_command(options, machine, initrd, shares,
                               {name: end[1] for name, end in ends.items()}, log)
        # The machine must not outlive this script, however it ends.
        prctl, set_pdeathsig = ctypes.CDLL(None).prctl, 1
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL,
                                   pass_fds=[end[1] for end in ends.values()],
                                   start_new_session=True,
                                   preexec_fn=lambda: prctl(set_pdeathsig, signal.SIGKILL))
        for end in ends.values():
            os.close(end[1])

        def control():
            with os.fdopen(ends["control"][0]) as lines:
                for text in lines:
                    word, *rest = text.split()
                    state[word] = rest
                    note("%-5s after %.1f s (guest: %s)"
                         % (word, time.monotonic() - began, " ".join(rest)))

        threads = [threading.Thread(target=control, daemon=True),
                   threading.Thread(target=pump, args=(ends["out"][0], 1), daemon=True),
                   threading.Thread(target=pump, args=(ends["err"][0], 2), daemon=True)]
        for thread in threads:
            thread.start()

        def stop(number, _frame):
            state["signal"] = number
            process.kill()

        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, stop)
        try:
            process.wait(options.timeout or None)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            state.setdefault("timeout", [])
        for thread in threads:
            thread.join(10)
        note("over after %.1f s" % (time.monotonic() - began))
        if "exit" in state:
            return int(state["exit"][0])
        if "signal" in state:
            return 128 + state["signal"]
        with open(log, errors="replace") as file:
            tail = "".join(file.readlines()[-25:])
    if "timeout" in state:
        where = "command" if "start" in state else "boot"
        print("with-cameras: time limit of %g s reached during the %s"
              % (options.timeout, where), file=sys.stderr)
        if where == "boot":
            print(tail, file=sys.stderr)
        return EXIT_TIMEOUT
    print("with-cameras: the machine ended without a status\n" + tail, file=sys.stderr)
    return EXIT_MACHINE
