# test_layouts_python.py -- the layout algebra of Python against that of C++ (`cutwork layout eval`), on random layouts.
import json
import os
import pathlib
import subprocess
import sys
import textwrap

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

ROOT = pathlib.Path(__file__).resolve().parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT / "build/python"), "CUTWORK_DEVICE": "sim:sm_90a"}
CUTWORK = pathlib.Path(os.environ.get("CUTWORK_BIN", ROOT / "build/bin/cutwork"))

SHAPES = st.recursive(st.integers(1, 6), lambda inner: st.lists(inner, min_size=1, max_size=3).map(tuple), max_leaves=4)
ONE = ("coalesce", "right_inverse", "left_inverse", "complement")
TWO = ("composition", "logical_divide", "zipped_divide", "tiled_divide", "flat_divide", "logical_product", "zipped_product",
       "tiled_product", "flat_product", "blocked_product", "raked_product")


def strides(shape, draw, at=None):
    """Any strides, or, half of the time, compact ones."""
    at = at if at is not None else ([1] if draw(st.booleans()) else None)
    if isinstance(shape, int):
        if not at:
            return draw(st.integers(0, 12))
        step = at[0]
        at[0] *= shape
        return step
    return tuple(strides(part, draw, at if at else []) for part in shape)


@st.composite
def questions(draw):
    op = draw(st.sampled_from(ONE + TWO))
    layouts = []
    for _ in range(1 if op in ONE else 2):
        shape = draw(SHAPES)
        layouts.append((shape, strides(shape, draw)))
    return op, layouts


def text(tree):
    return str(tree) if isinstance(tree, int) else f"({','.join(map(text, tree))})"


def of_python(cases):
    script = textwrap.dedent("""
        import sys, json
        import cutwork.cute as cute
        def tuples(t):
            return tuple(map(tuples, t)) if isinstance(t, list) else t
        for op, layouts in json.load(sys.stdin):
            try:
                print(getattr(cute, op)(*(cute.make_layout(tuples(s), stride=tuples(d)) for s, d in layouts)))
            except Exception as error:
                print("refused", type(error).__name__)
    """)
    done = subprocess.run([sys.executable, "-c", script], input=json.dumps(cases), env=ENVIRONMENT, capture_output=True, text=True,
                          timeout=100, check=True)
    return done.stdout.splitlines()


def of_cpp(cases):
    lines = "".join(json.dumps({"op": op, "args": [f"{text(s)}:{text(d)}" for s, d in layouts]}) + "\n" for op, layouts in cases)
    done = subprocess.run([CUTWORK, "layout", "eval"], input=lines, capture_output=True, text=True, timeout=100, check=False)
    return [json.loads(line) for line in done.stdout.splitlines()]


@settings(max_examples=8, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(questions(), min_size=80, max_size=80))
def test_python_gives_what_cpp_gives(cases):
    agreed = 0
    for case, python, cpp in zip(cases, of_python(cases), of_cpp(cases), strict=True):
        if "error" in cpp:
            assert python == "refused UserError", (case, python, cpp)
        else:
            assert python == cpp["result"], case
            agreed += 1
    assert agreed > 10
