# checks.py -- what the checks of the simulated GPU share: kernels, expected errors, running all checks of a file.
import contextlib
import json
import sys
import traceback

import cutlass
import cutlass.cute as cute


@contextlib.contextmanager
def raises(kind, text):
    """The block ends with this error, whose text has these words."""
    try:
        yield
    except kind as error:
        assert text in str(error), str(error)
    else:
        raise AssertionError(f"{kind} with '{text}' was expected")


@cute.kernel
def scale_kernel(x: cute.Tensor, y: cute.Tensor, factor: cutlass.Float32):
    i = cute.arch.block_idx()[0] * 128 + cute.arch.thread_idx()[0]
    if i < cute.size(x):
        y[i] = x[i] * factor


@cute.jit
def scale(x: cute.Tensor, y: cute.Tensor, factor: cutlass.Float32):
    """y = factor * x, of one mode."""
    scale_kernel(x, y, factor).launch(grid=cute.ceil_div(cute.size(x), 128), block=128)


def main(checks):
    """Runs the functions check_* of a file and prints {name: error} as JSON in the last line."""
    results = {}
    for name, check in list(checks.items()):
        if name.startswith("check_") and (len(sys.argv) < 2 or name in sys.argv[1:]):
            try:
                check()
                results[name] = ""
            except BaseException:
                results[name] = traceback.format_exc()
    print("\n" + json.dumps(results))
