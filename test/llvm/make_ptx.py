#!/usr/bin/env python3
# make_ptx.py -- makes test/data/llvm_ptx.jsonl.gz: PTX that clang and Triton made, for test_sim_llvm.py.
"""Usage: make_ptx.py [--no-triton]

Needs clang-22, and Triton 3.6 in the Python that runs it (`pip install triton==3.6.0`); no GPU. Each line of
the result is a module: maker, target, kernels; of Triton's also the threads and the shared memory that a launch needs.
With --no-triton Triton's lines are kept as they are."""

import gzip
import json
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE.parent / "data" / "llvm_ptx.jsonl.gz"

# Optimisation, target, feature: the stack is used at -O0; LLVM's choices differ by target.
CLANG = [("-O0", "sm_80", "+ptx78"), ("-O1", "sm_86", "+ptx78"), ("-O3", "sm_80", "+ptx78"),
         ("-O3", "sm_90", "+ptx80"), ("-Os", "sm_89", "+ptx80"), ("-O3", "sm_90a", "+ptx83")]


def from_clang():
    version = subprocess.run(["clang-22", "--version"], capture_output=True, text=True, check=True).stdout
    version = re.search(r"clang version (\S+)", version)[1].split("+")[0]
    for level, target, feature in CLANG:
        command = ["clang-22", "--target=nvptx64-nvidia-cuda", f"-march={target}", level, "-S", "-nocudalib",
                   "-ffreestanding", "-ffp-contract=off", "-Xclang", "-target-feature", "-Xclang", feature,
                   "kernels.c", "-o", "-"]
        ptx = subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=True).stdout
        yield {"maker": f"clang {version} {level}", "target": target,
               "kernels": re.findall(r"\.entry (\w+)\(", ptx), "ptx": ptx}


def from_triton():
    import triton
    import triton_kernels
    from triton.backends.compiler import GPUTarget

    for name, (types, constants, warps) in triton_kernels.KERNELS.items():
        for capability in (80, 90) if name not in triton_kernels.HOPPER_ONLY else (90,):
            function = getattr(triton_kernels, name)
            signature = {**types, **{constant: "constexpr" for constant in constants}}
            # For one of the targets every pointer is known to be aligned, which makes vector accesses.
            pointers = [i for i, kind in enumerate(types.values()) if kind.startswith("*") and capability == 90]
            source = triton.compiler.ASTSource(fn=function, signature=signature, constexprs=constants,
                                               attrs={(i,): [["tt.divisibility", 16]] for i in pointers})
            made = triton.compile(source, target=GPUTarget("cuda", capability, 32), options={"num_warps": warps})
            ptx = made.asm["ptx"].replace(str(HERE) + "/", "")
            # Debug sections hold the names of folders, and no instructions.
            ptx = re.sub(r"\n\s*\.section[^{]*\{.*?\n\s*\}", "", ptx, flags=re.S)
            ptx = re.sub(r'(\.file\s+\d+\s+)"[^"]*?([^"/]+)"', r'\1"\2"', ptx)
            yield {"maker": f"Triton {triton.__version__}", "target": re.search(r"\.target (\w+)", ptx)[1],
                   "kernels": [made.metadata.name], "threads": 32 * made.metadata.num_warps,
                   "shared": made.metadata.shared, "ptx": ptx}


def main():
    lines = list(from_clang())
    if "--no-triton" in sys.argv[1:]:
        with gzip.open(DATA, "rt") as file:
            lines += [one for one in map(json.loads, file) if one["maker"].startswith("Triton")]
    else:
        lines += from_triton()
    text = "".join(json.dumps(line) + "\n" for line in lines)
    DATA.write_bytes(gzip.compress(text.encode(), mtime=0))
    print(f"{DATA.name}: {len(lines)} modules, {DATA.stat().st_size} bytes")


if __name__ == "__main__":
    main()
