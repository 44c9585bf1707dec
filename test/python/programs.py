# programs.py -- the public CuTe DSL example programs and notebooks: how they are run, and what they are to print.
"""CUTWORK_EXAMPLES names a checkout of NVIDIA/cutlass (its BSD examples). Shapes are small by the programs' own options,
since the simulated device takes seconds for what a GPU does in microseconds; bench/gpu/python/programs.py runs them as they are."""
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = os.environ.get("CUTWORK_EXAMPLES")
BASE = pathlib.Path(EXAMPLES or "/nonexistent", "examples/python/CuTeDSL")

ELEMENTWISE = "cute/ampere/kernel/elementwise/"
SGEMM = ["cute/ampere/kernel/dense_gemm/sgemm.py"]
ONCE = ["--warmup_iterations", "0", "--iterations", "1"]
NORM = "cute/hopper/kernel/cta_norm/cta_norm.py"
SMALL = ["--M", "32", "--N", "256"]
APPLY = [ELEMENTWISE + "elementwise_apply.py", "--M", "64", "--N", "256"]  # loads are not predicated: whole tiles

PROGRAMS = {
    "elementwise_add": ([ELEMENTWISE + "elementwise_add.py", *SMALL], "PASS"),
    "elementwise_add-ragged": ([ELEMENTWISE + "elementwise_add.py", "--M", "33", "--N", "264"], "PASS"),
    "elementwise_add-benchmark": ([ELEMENTWISE + "elementwise_add.py", *SMALL, "--benchmark", "--iterations", "2"], "PASS"),
    "elementwise_add_autotune": (["cute/ampere/tutorial/elementwise_add_autotune.py", *SMALL, "--warmup_iterations", "0",
                                  "--iterations", "1"], "PASS"),
    **{f"elementwise_apply-{op}": ([*APPLY, "--op", op], "PASS")
       for op in ("add", "sub", "mul", "truediv", "leaky_relu")},
    "elementwise_apply-benchmark": ([*APPLY, "--benchmark", "--iterations", "2"], "PASS"),
    # Whole tiles; its defaults; edges in M, N and K with every order of the operands.
    "sgemm-default": (SGEMM, "PASS"),
    "sgemm-whole": ([*SGEMM, "--mnk", "128,128,64", *ONCE], "PASS"),
    "sgemm-static": ([*SGEMM, "--mnk", "140,132,36", "--b_major", "n", "--static_shape", *ONCE], "PASS"),
    "sgemm-k-n-m": ([*SGEMM, "--mnk", "160,144,60", "--a_major", "k", "--b_major", "n", "--c_major", "m", *ONCE], "PASS"),
    "sgemm-ragged": ([*SGEMM, "--mnk", "133,65,17", "--a_major", "k", "--b_major", "k", *ONCE], "PASS"),
    "sgemm-cold": ([*SGEMM, "--mnk", "64,72,12", "--use_cold_l2", *ONCE], "PASS"),
    "jit_argument": (["dsl_tutorials/ffi/jit_argument.py"], "stride: (32,4,1)"),  # builds a module by CMake
    "smem_allocator": (["dsl_tutorials/smem_allocator.py"], "tensor in smem"),
    "dynamic_smem_size": (["dsl_tutorials/dynamic_smem_size.py"], "PASS"),
    "dataclass_immutable": (["dsl_tutorials/dataclass_immutable.py"], "PASS"),
    "inline_ptx": (["dsl_tutorials/inline_ptx.py"], "Results verified successfully!"),
    "programmatic_dependent_launch": (["dsl_tutorials/programmatic_dependent_launch.py"], "PASS"),
    "torch_fake_tensor": (["dsl_tutorials/torch_fake_tensor.py"], "])"),
    "print_latex": (["dsl_tutorials/print_latex.py"], "\\end{document}"),
    **{f"cta_norm-{kind}-{dtype}": ([NORM, "--M", "8", "--N", "1024", "--norm_type", kind, "--dtype", dtype], "")
       for kind in ("layer", "rms") for dtype in ("fp16", "bf16", "fp32")},
}
NOTEBOOKS = ("hello_world", "print", "data_types", "tensor", "tensorssa", "cute_layout_algebra", "composed_layout",
             "elementwise_add", "benchmark_autotune", "async_pipeline", "cuda_graphs")

# A notebook has no options. The assignment of its shape, which takes minutes on the simulated device, is what changes.
SMALLER = {"elementwise_add": ("M, N = 16384, 8192", "M, N = 256, 512")}


def run(*command, **environment):
    """What the command prints; fails if it does."""
    done = subprocess.run([sys.executable, *map(str, command)], capture_output=True, text=True, timeout=500,
                          env={**os.environ, **environment}, cwd="/tmp", check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    return done.stdout


# What the stored text of a cell has in the middle of another line, since Python and the program printed at once.
INTERLEAVED = {("print", 9): "Slice output:\n"}


def normal(text, source):
    """Sorted lines without addresses, times, what follows from times, and random data: Python and the program print in either order."""
    text = re.sub(r"0x[0-9a-fA-F]+", "0xADDRESS", text)
    text = re.sub(r"\d+\.\d+ ?(us|ms|s|seconds|microseconds)\b", "TIME", text)
    text = re.sub(r"^-?\d+\.\d+% speedup", "SPEEDUP", text, flags=re.M)
    if "randn" in source:
        text = re.sub(r" *-?\d+\.\d+", " RANDOM", text)
    return sorted(line.strip() for line in text.splitlines() if line.strip())


def same(stored, printed, source, interleaved=None):
    if interleaved:
        if stored.count(interleaved) != printed.count(interleaved):
            return False
        stored, printed = stored.replace(interleaved, ""), printed.replace(interleaved, "")
    # The stored text of a tuple of layouts has their addresses; ours has the layouts.
    stored = re.sub(r"\(<.* object at 0x.*>\)", "LAYOUTS", stored)
    if "LAYOUTS" in stored:
        printed = re.sub(r"(Tiler : )\(.*\)$", r"\1LAYOUTS", printed, flags=re.M)
    return normal(stored, source) == normal(printed, source)


def wrong_cells(name, *command, **environment):
    """Texts about the cells of a notebook that failed or printed something else than is stored."""
    results = json.loads(run(ROOT / "test/python/notebook.py", BASE / f"cute/notebooks/{name}.ipynb", *command,
                             **environment).splitlines()[-1])
    wrong = []
    for cell in results:
        if cell["error"]:
            wrong.append(f"cell {cell['cell']}: {cell['error']}")
        elif cell["stored"] and not same(cell["stored"], cell["printed"], cell["source"], INTERLEAVED.get((name, cell["cell"]))):
            wrong.append(f"cell {cell['cell']}\n-- stored\n{cell['stored']}\n-- printed\n{cell['printed']}")
    return wrong
