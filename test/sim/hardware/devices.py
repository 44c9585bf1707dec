# devices.py -- who runs cases: what an outcome is, a GPU in a process of its own, and the simulated device (`cutwork sim`).
"""A runner has `name`, `run(case) -> Outcome` and `close()`; it may be given cases that hang or that end its device."""

import concurrent.futures
import dataclasses
import json
import multiprocessing
import pathlib
import re
import subprocess
import tempfile

import gpu
import tables

RIGHT, WRONG, REFUSED, NOT_RUN = "right", "wrong", "refused", "not run"
UNANSWERED = "unanswered"


class DeviceError(Exception):
    """There is no device that could run anything."""


@dataclasses.dataclass
class Outcome:
    """What became of a case. `got` has the bytes of each buffer afterwards, None for other arguments, and is empty where it did not
    end; then `status` is REFUSED, NOT_RUN or WRONG, and `why` says it."""

    status: str = RIGHT
    why: str = ""
    got: list = dataclasses.field(default_factory=list)


def capability(target):
    """sm_90a: 90."""
    found = re.fullmatch(r"sm_(\d+)[af]?", target)
    return int(found[1]) if found else 0


def judged(case, got):
    """The outcome of a run that ended."""
    why = tables.differences(case, got)
    return Outcome(WRONG if why else RIGHT, why, got)


# --- a GPU

def _serve(connection, library, device):
    """What the GPU's process does: a case and a level in, an outcome out, until it is told to end or the device is lost."""
    try:
        opened = gpu.Gpu(library, device)
    except gpu.Error as problem:
        connection.send(("none", str(problem)))
        return
    connection.send(("name", opened.name, opened.capability, opened.version))
    while True:
        job = connection.recv()
        if job is None:
            return
        case, level, offset = job
        try:
            connection.send(("done", *opened.run(case, level, offset)))
        except gpu.Refused as problem:
            connection.send(("refused", str(problem)))
        except gpu.Lost as problem:
            connection.send(("lost", str(problem)))
            return  # a context that has seen a fault runs nothing more
        except (gpu.Error, tables.TableError) as problem:
            connection.send(("wrong", str(problem)))


class Gpu:
    """A real one. Each case runs once at every level of the driver's PTX compiler in `levels`, at another address each time."""

    def __init__(self, library, device, levels, timeout):
        self.library, self.device, self.levels, self.timeout = library, device, levels, timeout
        self.process = None
        self._start()

    def _start(self):
        # Not fork: a process that has used the driver must not, and a hang ends with its process.
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, self.library, self.device), daemon=True)
        self.process.start()
        theirs.close()
        kind, *rest = self._receive(120)
        if kind != "name":
            self.close()
            raise DeviceError(rest[0])
        self.card, self.capability, version = rest
        self.name = f"{self.card} (sm_{self.capability}), CUDA {version}"

    def _receive(self, seconds):
        try:
            if self.connection.poll(seconds):
                return self.connection.recv()
            self._end()
            return "hang", f"no end after {seconds} s"
        except (EOFError, OSError):
            self._end()
            return "hang", "the process of the GPU ended"

    def _end(self):
        if self.process is not None:
            self.process.kill()
            self.process.join()
            self.process = None

    def close(self):
        if self.process is not None and self.process.is_alive():
            try:
                self.connection.send(None)
            except OSError:
                pass
            self.process.join(10)
        self._end()

    def _once(self, case, level, offset):
        if self.process is None:
            self._start()
        self.connection.send((case, level, offset))
        kind, *rest = self._receive(self.timeout)
        if kind == "done":
            got, problem = rest
            return Outcome(WRONG, problem, got) if problem else judged(case, got)
        if kind == "lost":
            self.process.join(10)
            self._end()
        return Outcome(REFUSED if kind == "refused" else WRONG, rest[0])

    def run(self, case):
        wanted = capability(case["target"])
        if wanted > self.capability or (case["target"][-1] == "a" and wanted != self.capability):
            return Outcome(NOT_RUN, f"it is for {case['target']}, and this is sm_{self.capability}")
        first = None
        for i, level in enumerate(self.levels):
            outcome = self._once(case, level, i)
            if outcome.status != RIGHT:
                if outcome.status == WRONG:
                    outcome.why += f" (level {level})"
                return outcome
            if first and outcome.got != first.got and not tables.is_answered(case):
                return Outcome(WRONG, f"levels {self.levels[0]} and {level} of the compiler, or two addresses, give different bytes: "
                               + _first_difference(first.got, outcome.got), outcome.got)
            first = first or outcome
        return first

    def run_all(self, cases):
        """(case, outcome) of each, in order."""
        for case in cases:
            yield case, self.run(case)


def _first_difference(left, right):
    for i, (a, b) in enumerate(zip(left, right, strict=True)):
        if a != b:
            return f"argument {i}, byte {next(k for k in range(len(a)) if a[k] != b[k])}"
    return "nowhere"


# --- the simulated device

def _npy(data):
    """The bytes as an .npy file of uint8."""
    header = f"{{'descr': '|u1', 'fortran_order': False, 'shape': ({len(data)},), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + data


def _bytes_of_npy(file):
    return file[10 + int.from_bytes(file[8:10], "little"):]


class Simulated:
    """`cutwork sim` on cases, several at a time. Faults are wrong, and what it does not know is refused."""

    def __init__(self, program, device, timeout, jobs, options=()):
        self.program, self.device, self.timeout, self.jobs, self.options = program, device, timeout, jobs, options
        self.name = device or "the simulated device"
        try:
            version = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=60, check=True).stdout.strip()
        except (OSError, subprocess.SubprocessError) as problem:
            raise DeviceError(f"{program} cannot be run: {problem}") from None
        self.name += f" of {version}"

    def close(self):
        pass

    def run_all(self, cases):
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            yield from zip(cases, pool.map(self.run, cases), strict=True)

    def run(self, case):
        arguments = tables.arguments(case)
        if any(isinstance(one, tables.TensorMap) for one in arguments):
            return Outcome(NOT_RUN, "`cutwork sim` takes no tensor maps")
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            args = []
            for i, one in enumerate(arguments):
                if isinstance(one, tables.Value):
                    args.append(one.item)
                else:
                    (folder / f"a{i}.npy").write_bytes(_npy(one.start))
                    args.append({"buffer": f"a{i}.npy", "output": f"o{i}.npy"})
            (folder / "k.ptx").write_text(case["ptx"])
            (folder / "l.json").write_text(json.dumps({key: case[key] for key in ("kernel", "grid", "block", "cluster", "dynamic_smem")
                                                       if key in case} | {"args": args}))
            device = self.device or ("sim:sm_90a" if case["target"] == "sm_90a" else "sim:sm_90")
            try:
                done = subprocess.run([self.program, "sim", "k.ptx", "l.json", "--device", device, *self.options], cwd=folder,
                                      capture_output=True, text=True, errors="replace", timeout=self.timeout, check=False)
            except subprocess.TimeoutExpired:
                return Outcome(WRONG, f"no end after {self.timeout} s")
            if done.returncode != 0:
                message = done.stderr.partition("cutwork: error: ")[2].strip().splitlines()
                return Outcome(REFUSED if done.returncode in (2, 3, 19) else WRONG,
                               " ".join(line.strip() for line in message[:3]) or f"exit status {done.returncode}")
            got = [_bytes_of_npy((folder / f"o{i}.npy").read_bytes()) if isinstance(one, tables.Buffer) else None
                   for i, one in enumerate(arguments)]
        return judged(case, got)
