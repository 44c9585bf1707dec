# test_cache.py -- the kernel store with processes of Python: who compiles, what makes another key, what goes wrong.
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

import pytest
from conftest import CUTWORK, ROOT

PROGRAM = """
import cutwork.compat
import cutlass, cutlass.cute as cute
{above}
EXTRA = {captured}
def helper(n): return n {operator} EXTRA

@cute.kernel
def k(n: cutlass.Int32, add: cutlass.Constexpr):
    if n > 100:
        cute.printf("large")
    cute.printf("{{}}", helper(n) + add)

@cute.jit
def {name}(n: {number}, add: cutlass.Constexpr):
    k(n, add).launch(grid=1, block=1)

cute.compile({name}, 3, {add}{options})(3)
"""
PLAIN = {"above": "", "captured": 7, "operator": "+", "name": "host", "number": "cutlass.Int32", "add": 1, "options": ""}


@pytest.fixture
def store(tmp_path):
    return tmp_path / "store"


def start(program, store, **environment):
    return subprocess.Popen([sys.executable, program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env={**os.environ, "PYTHONPATH": str(ROOT / "build/python"), "CUTWORK_DEVICE": "sim:sm_90a",
                                 "CUTWORK_LOG": "info", "CUTE_DSL_CACHE_DIR": str(store), **environment})


def execute(folder, store, *, file="program.py", environment=None, **changes):
    """(what it printed, its log) of the program with these changes."""
    program = folder / file
    program.parent.mkdir(exist_ok=True)
    program.write_text(PROGRAM.format(**{**PLAIN, **changes}))
    process = start(program, store, **(environment or {}))
    out, log = process.communicate(timeout=120)
    assert process.returncode == 0, out + log
    return out.strip(), log


def compiles(log):
    """How often each stage ran."""
    return {stage: len(re.findall(rf"info: {stage} [\d.]+ ms", log)) for stage in ("lower", "llvm", "host", "assemble")}


NOTHING = {"lower": 0, "llvm": 0, "host": 0, "assemble": 0}
ONCE = {"lower": 1, "llvm": 1, "host": 1, "assemble": 0}


def entries(store):
    return sorted(store.rglob("*.entry"))


def test_a_second_process_compiles_nothing(tmp_path, store):
    out, log = execute(tmp_path, store)
    assert out == "11" and compiles(log) == ONCE and "store: miss" in log
    for _ in range(2):
        out, log = execute(tmp_path, store)
        assert out == "11" and compiles(log) == NOTHING and "store: hit" in log
    assert len(entries(store)) == 1


SAME = {"another path": {"file": "elsewhere/other.py"}, "another name of the host function": {"name": "other"},
        "lines above": {"above": "# one\n# two\n"}}
OTHER = {"a constant": {"add": 2}, "a captured variable": {"captured": 8}, "a helper's source": {"operator": "-"},
         "a number's type": {"number": "cutlass.Int64"}, "an option": {"options": ", options='--opt-level 1'"},
         "the target": {"options": ", options='--gpu-arch sm_90'"}}


@pytest.mark.parametrize("what", SAME)
def test_what_is_no_part_of_the_key(tmp_path, store, what):
    execute(tmp_path, store)
    out, log = execute(tmp_path, store, **SAME[what])
    assert out == "11" and compiles(log) == NOTHING, log


@pytest.mark.parametrize("what", OTHER)
def test_what_is_part_of_the_key(tmp_path, store, what):
    execute(tmp_path, store)
    _, log = execute(tmp_path, store, **OTHER[what])
    assert compiles(log) == ONCE, log
    assert len(entries(store)) == 2


def test_strides_types_and_alignments_are_part_of_the_key(tmp_path, store):
    program = tmp_path / "tensors.py"
    program.write_text("""
import cutwork.compat
import numpy as np, cutlass.cute as cute
from cutlass.cute.runtime import from_dlpack

@cute.jit
def f(x: cute.Tensor): cute.printf("{} {}", x.layout, x[0])

a = np.zeros((8, 8), np.float32)
for x in (from_dlpack(a), from_dlpack(a.T), from_dlpack(a[:4]), from_dlpack(a[::2]), from_dlpack(a, assumed_align=16),
          from_dlpack(a.astype(np.float64)), from_dlpack(a).mark_layout_dynamic(), from_dlpack(a.copy())):
    cute.compile(f, x)
""")
    process = start(program, store)
    _, log = process.communicate(timeout=120)
    assert process.returncode == 0, log
    assert compiles(log)["host"] == 7 == len(entries(store)), log


def test_eight_processes_at_once_compile_once(tmp_path, store):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.format(**PLAIN))
    processes = [start(program, store) for _ in range(8)]
    results = [process.communicate(timeout=300) for process in processes]
    assert [out.strip() for out, _ in results] == ["11"] * 8
    assert sum(compiles(log)["llvm"] for _, log in results) == 1
    assert len(entries(store)) == 1


def test_a_killed_compiler_does_not_block_others(tmp_path, store):
    program = tmp_path / "killed.py"
    program.write_text("""
import fcntl, os, sys, time
folder = os.environ["CUTE_DSL_CACHE_DIR"] + "/locks"
os.makedirs(folder)
files = [open(f"{folder}/{i:03x}", "w") for i in range(4096)]   # it holds whatever key
[fcntl.flock(f, fcntl.LOCK_EX) for f in files]
print("held", flush=True)
time.sleep(100)
""")
    holder = subprocess.Popen([sys.executable, "-c", "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (5000, 5000)); "
                               f"exec(open({str(program)!r}).read())"], stdout=subprocess.PIPE, text=True,
                              env={**os.environ, "CUTE_DSL_CACHE_DIR": str(store)})
    assert holder.stdout.readline() == "held\n"
    waiting = tmp_path / "program.py"
    waiting.write_text(PROGRAM.format(**PLAIN))
    process = start(waiting, store)
    time.sleep(2)
    assert process.poll() is None  # it waits
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    out, log = process.communicate(timeout=120)
    assert out == "11\n" and "store: waiting" in log and compiles(log) == ONCE


@pytest.mark.parametrize("damage", ["truncated", "a flipped bit", "a foreign file", "empty"])
def test_a_damaged_entry_is_made_again(tmp_path, store, damage):
    execute(tmp_path, store)
    entry, = entries(store)
    good = entry.read_bytes()
    middle = len(good) // 2
    entry.write_bytes({"truncated": good[:middle], "a flipped bit": good[:middle] + bytes([good[middle] ^ 1]) + good[middle + 1:],
                       "a foreign file": b"something else entirely" * 100, "empty": b""}[damage])
    assert subprocess.run([CUTWORK, "cache", "verify"], env={**os.environ, "CUTE_DSL_CACHE_DIR": str(store)},
                          capture_output=True, check=False).returncode == 1
    out, log = execute(tmp_path, store)
    assert out == "11" and compiles(log) == ONCE and "damaged" in log
    assert compiles(execute(tmp_path, store)[1]) == NOTHING


def test_another_build_is_another_key(tmp_path, store):
    execute(tmp_path, store)
    # The same package with a compiler library whose build id has one other bit.
    other = tmp_path / "other"
    subprocess.run(["cp", "-rL", ROOT / "build/python", other], check=True)
    library = next((ROOT / "build/lib").glob("libcutwork.so.0"))
    (other / "lib").mkdir()
    content = bytearray(library.read_bytes())
    at = content.index(b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0") + 16
    content[at] ^= 1
    (other / "lib" / "libcutwork.so.0").write_bytes(content)
    (other / "lib" / "libcutwork_rt.so.0").symlink_to(ROOT / "build/lib/libcutwork_rt.so.0")
    _, log = execute(tmp_path, store, environment={"PYTHONPATH": str(other), "LD_PRELOAD": str(other / "lib/libcutwork.so.0")})
    assert compiles(log) == ONCE, log


def test_messages_follow_the_lines(tmp_path, store):
    source = """
import cutwork.compat
import cutlass, cutlass.cute as cute
{above}
@cute.kernel
def k(x: cute.Tensor):
    x[cute.arch.thread_idx()[0]] = 1.0

@cute.jit
def host(x: cute.Tensor): k(x).launch(grid=1, block=32)

import torch
from cutlass.cute.runtime import from_dlpack
try:
    host(torch.zeros(31, device="cuda"))
except Exception as error:
    print(error)
"""
    lines = []
    for above in ("", "\n\n\n"):
        program = tmp_path / f"lines{len(above)}.py"
        program.write_text(source.format(above=above))
        process = subprocess.run([sys.executable, "-m", "cutwork", program], capture_output=True, text=True, timeout=120,
                                 check=False, env={**os.environ, "PYTHONPATH": str(ROOT / "build/python"), "CUTWORK_LOG": "info",
                                                   "CUTWORK_DEVICE": "sim:sm_90a", "CUTE_DSL_CACHE_DIR": str(store)})
        assert process.returncode == 0, process.stderr
        lines.append(process)
    assert "lines0.py:7" in lines[0].stdout, lines[0].stdout
    assert compiles(lines[1].stderr) == NOTHING, lines[1].stderr
    assert "lines3.py:10" in lines[1].stdout, lines[1].stdout


def test_knobs_turn_it_off(tmp_path, store):
    for knob in ("CUTE_DSL_DISABLE_FILE_CACHING", "CUTE_DSL_NO_CACHE"):
        for _ in range(2):
            out, log = execute(tmp_path, store, environment={knob: "1"})
            assert out == "11" and compiles(log) == ONCE
    assert not store.exists()


def test_the_default_folder_is_the_users(tmp_path):
    for variable, folder in (("XDG_CACHE_HOME", "cutwork"), ("HOME", ".cache/cutwork")):
        home = tmp_path / variable
        execute(tmp_path, "", environment={"HOME": str(tmp_path / "none"), "XDG_CACHE_HOME": "", variable: str(home)})
        assert len(entries(home / folder)) == 1


def test_a_store_that_cannot_be_written(tmp_path, store):
    store.write_text("a file")
    out, log = execute(tmp_path, store)
    assert out == "11" and compiles(log) == ONCE and log.count("compiling goes on without it") == 1


def test_the_memory_table_is_bounded_and_can_be_passed_by(tmp_path, store):
    program = tmp_path / "memory.py"
    program.write_text("""
import cutwork.compat
import cutlass, cutlass.cute as cute
import cutwork._jit as jit_

@cute.jit
def f(n: cutlass.Constexpr): cute.printf("{}", n)

for n in (1, 2, 3, 3): cute.compile(f, n)
print(len(jit_._compiled))
f(9); f(9); f(9, no_cache=True)
""")
    def result(**environment):
        process = start(program, store, **environment)
        out, log = process.communicate(timeout=120)
        assert process.returncode == 0, log
        return out.split(), compiles(log)["host"], log.count("info: trace")
    assert result() == (["3", "9", "9", "9"], 5, 6)          # no_cache compiles anew
    assert result(CUTE_DSL_JIT_CACHE_MAX_ELEMS="2")[0][0] == "2"
    assert result(CUTE_DSL_NO_CACHE="1") == (["0", "9", "9", "9"], 7, 7)


def test_artefacts_from_the_store(tmp_path, store):
    if not has_assembler():
        pytest.fail("no assembler: scripts/setup installs one")
    program = tmp_path / "artefacts.py"
    program.write_text(PROGRAM.format(**PLAIN).replace("cute.compile", "c = cute.compile").replace(")(3)", ")") + """
import hashlib
print(hashlib.sha256(c.__cubin__).hexdigest(), c.kernel_info, len(c.__ptx__), len(c.__mlir__), c.remarks)
""")
    results = []
    for _ in range(2):
        process = start(program, store)
        out, log = process.communicate(timeout=120)
        assert process.returncode == 0, log
        results.append((out, compiles(log), log))
    assert results[0][0] == results[1][0]
    assert results[0][2].count("info: assemble") == 1 and "assemble" not in results[1][2].replace("store: assembled", "")
    assert results[1][1] == NOTHING


def has_assembler():
    found = subprocess.run([CUTWORK, "info", "--json"], capture_output=True, text=True, check=True)
    return json.loads(found.stdout)["assembler"] is not None


def test_cutwork_cache(tmp_path, store):
    execute(tmp_path, store)
    execute(tmp_path, store, add=2)

    def cache(*arguments):
        return subprocess.run([CUTWORK, "cache", *arguments], env={**os.environ, "CUTE_DSL_CACHE_DIR": str(store)},
                              capture_output=True, text=True, check=False)
    rows = cache("list").stdout.splitlines()
    assert len(rows) == 2 and all(row.endswith("host for sm_90a") for row in rows), rows
    listed = json.loads(cache("list", "--json").stdout)
    assert {pathlib.Path(e.parent.name + e.stem).name for e in entries(store)} == {row["key"] for row in listed}
    stats = json.loads(cache("stats", "--json").stdout)
    assert stats == {"folder": str(store), "entries": 2, "bytes": sum(e.stat().st_size for e in entries(store)),
                     "most_bytes": 1 << 30}
    assert cache("verify").stdout == "2 good, 0 damaged\n"
    assert json.loads(cache("verify", "--json").stdout) == {"good": 2, "damaged": []}
    assert cache("clear").stdout == "2 entries deleted\n"
    assert not entries(store)
    assert cache("stats").returncode == 0 and cache().returncode == 2


def test_the_bound_is_kept(tmp_path, store):
    for add in range(4):
        execute(tmp_path, store, add=add, environment={"CUTWORK_CACHE_SIZE": "14K"})
    assert 1 <= len(entries(store)) <= 2
    _, log = execute(tmp_path, store, add=3)
    assert compiles(log) == NOTHING


def test_c_plus_plus_uses_the_store(tmp_path, store):
    command = [CUTWORK, "verify", "relu", "--device", "sim:sm_90a"]
    environment = {**os.environ, "CUTE_DSL_CACHE_DIR": str(store), "CUTWORK_LOG": "info"}
    first, second = (subprocess.run(command, env=environment, capture_output=True, text=True, check=True) for _ in range(2))
    assert compiles(first.stderr)["llvm"] >= 1 and compiles(second.stderr) == NOTHING, second.stderr


def test_eight_threads_compile_different_kernels_at_once(tmp_path, store):
    program = tmp_path / "threads.py"
    program.write_text("""
import threading
import cutwork.compat
import cutlass, cutlass.cute as cute
import numpy as np

def make(i):
    @cute.kernel
    def k(x: cute.Tensor): x[0] = x[0] * i + i
    @cute.jit
    def host(x: cute.Tensor):
        for j in range(4): x[j] = x[j] + i * 100 + j
    return host

wrong = []
def work(i):
    for _ in range(3):
        x = np.zeros(4, np.float32)
        make(i)(x)
        if x.tolist() != [i * 100 + j for j in range(4)]: wrong.append((i, x.tolist()))
threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
[t.start() for t in threads]
[t.join() for t in threads]
assert not wrong, wrong
""")
    process = start(program, store)
    _, log = process.communicate(timeout=120)
    assert process.returncode == 0, log
    assert len(entries(store)) == 8 and compiles(log)["host"] == 8, log


LINES = '''
import linecache, sys
import cutwork.compat
import torch, cutlass, cutlass.cute as cute
SOURCE = """
@cute.kernel
def k(x: cute.Tensor):
    x[cute.arch.thread_idx()[0]] = 1.0

@cute.jit
def host(x: cute.Tensor): k(x).launch(grid=1, block=32)
"""
for name, text in (("one.py", SOURCE), ("two.py", chr(10) * 5 + SOURCE)):
    linecache.cache[name] = len(text), None, text.splitlines(True), name
    exec(compile(text, name, "exec"))
    try:
        host(torch.zeros(31, device="cuda"))
    except Exception as error:
        print(error)
'''


@pytest.mark.parametrize("knob", [{}, {"CUTE_DSL_DISABLE_FILE_CACHING": "1"}], ids=["store", "memory"])
def test_lines_follow_in_one_process_too(tmp_path, store, knob):
    program = tmp_path / "again.py"
    program.write_text(LINES)
    done = subprocess.run([sys.executable, "-m", "cutwork", program], capture_output=True, text=True, timeout=120, check=False,
                          env={**os.environ, "PYTHONPATH": str(ROOT / "build/python"), "CUTWORK_DEVICE": "sim:sm_90a",
                               "CUTE_DSL_CACHE_DIR": str(store), **knob})
    assert done.returncode == 0, done.stderr
    assert "one.py:4" in done.stdout and "two.py:9" in done.stdout, done.stdout
