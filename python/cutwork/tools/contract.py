# contract.py -- a kernel file: kernel_fn, reference_fn, get_inputs, and what it may have besides; its inputs and outputs.

import argparse
import contextlib
import importlib.util
import inspect
import os
import re
import sys

from .._pipes import ends_quietly, nobody_reads

DONE, WRONG, USAGE, REFUSED, LIMIT, INTERNAL = 0, 1, 2, 3, 18, 70  # docs/exit-codes.md
REQUIRED = ("kernel_fn", "reference_fn", "get_inputs")


class Problem(Exception):
    """A report for standard error with its exit code."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


class Parser(argparse.ArgumentParser):
    """argparse with the messages and exit codes of the program cutwork."""

    def error(self, message):
        print(f"`{self.prog} --help` says what is accepted.", file=sys.stderr)
        raise Problem(USAGE, message)


def natural(text):
    if not re.fullmatch(r"[0-9]+", text) or int(text) >= 1 << 63:
        raise argparse.ArgumentTypeError(f"'{text}' is no whole number from 0 on")
    return int(text)


def positive(text):
    if natural(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is no whole number from 1 on")
    return int(text)


def tolerance(text):
    try:
        value = float(text)
    except ValueError:
        value = -1
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"'{text}' is no finite number from 0 on")
    return value


def extents(text):
    if not re.fullmatch(r"[1-9][0-9]*(x[1-9][0-9]*)*", text):
        raise argparse.ArgumentTypeError(f"'{text}' is no shape such as 1024x512")
    return tuple(map(int, text.split("x")))


def shape_text(shape):
    return "x".join(map(str, shape)) or "scalar"


class KernelFile:
    """The module that a file holds, checked against the contract."""

    def __init__(self, path):
        self.path = path
        if not os.path.isfile(path):
            raise Problem(USAGE, f"there is no file {path}")
        self.module = _load(path)
        missing = [name for name in REQUIRED if not callable(getattr(self.module, name, None))]
        if missing:
            raise Problem(USAGE, f"{path}: a kernel file has kernel_fn(*inputs), reference_fn(*inputs) and get_inputs(); there "
                          f"is no {', no '.join(missing)}")
        self.name = os.path.splitext(os.path.basename(path))[0]
        self.kernel_fn, self.reference_fn = self.module.kernel_fn, self.module.reference_fn

    def number(self, name, inputs, default=None):
        """What the file says of a number: `name`, or name(*inputs)."""
        value = getattr(self.module, name, default)
        return value(*inputs) if callable(value) else value

    def odd_shapes(self):
        value = getattr(self.module, "odd_shapes", ())
        return [(shape,) if isinstance(shape, int) else tuple(shape) for shape in (value() if callable(value) else value)]

    def inputs(self, shape, seed):
        """get_inputs(), or get_inputs(*shape), from a seed; tensors of the host are moved to the GPU."""
        import torch

        torch.manual_seed(seed)
        try:
            inspect.signature(self.module.get_inputs).bind(*shape)
        except TypeError:
            raise Problem(USAGE, f"{self.path}: get_inputs does not take the {len(shape)} extents of the shape "
                          f"{shape_text(shape)}; it is get_inputs{inspect.signature(self.module.get_inputs)}") from None
        made = self.module.get_inputs(*shape)
        made = made if isinstance(made, (tuple, list)) else (made,)
        return [value.cuda() if isinstance(value, torch.Tensor) and not value.is_cuda else value for value in made]


def _load(path):
    """The file as a module, with its own folder on the path as for a script."""
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    name = "kernel_file_" + re.sub(r"\W", "_", os.path.basename(path))
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None:
        raise Problem(USAGE, f"{path} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    # The options are Cutwork's: the file sees itself alone, as a script that is started without any.
    sys.argv = [path]
    spec.loader.exec_module(module)
    return module


def prepare(device=None):
    """Makes cutlass importable and, where no GPU is, simulates one; gives the device."""
    if device:
        os.environ["CUTWORK_DEVICE"] = device
    from .. import _device, _simulation

    try:
        best = _device.best()
    except Exception as problem:
        raise Problem(USAGE, str(problem)) from None
    from .. import compat  # noqa: F401

    _simulation.activate_if_needed()
    return best


def flat(value, name=""):
    """[(name, tensor)] of what a function returned."""
    import torch

    if isinstance(value, torch.Tensor):
        return [(name or "out", value)]
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, (tuple, list)):
        items = enumerate(value)
    else:
        return []
    return [pair for key, item in items for pair in flat(item, f"{name}.{key}" if name else
                                                         key if isinstance(key, str) else f"out{key}")]


def clone(inputs):
    import torch

    return [value.detach().clone() if isinstance(value, torch.Tensor) else value for value in inputs]


def tensors(inputs):
    """[(name, tensor)] of the inputs, in0, in1 and so on."""
    return [pair for i, value in enumerate(inputs) for pair in flat(value, f"in{i}")]


def quiet(json):
    """With --json, what kernel files print goes to standard error: standard output is one object."""
    return contextlib.redirect_stdout(sys.stderr) if json else contextlib.nullcontext()


def synchronize():
    import torch

    torch.cuda.synchronize()


@ends_quietly
def run_main(command, main, arguments):
    """main(arguments) with every end as an exit code and one last line on standard error."""
    import traceback

    def report(code, text):
        print(f"cutwork: error: {text}", file=sys.stderr)
        return code

    try:
        return main(arguments)
    except Problem as problem:
        return report(problem.code, f"{command}: {problem}")
    except SystemExit as end:
        return end.code or DONE
    except Exception as problem:
        from .._errors import DeviceError, InternalError, UserError, trim

        if isinstance(problem, BrokenPipeError) and nobody_reads():
            raise
        trim(problem)
        if not isinstance(problem, (DeviceError, InternalError, UserError)):
            traceback.print_exc()
            return report(REFUSED, f"{command}: {type(problem).__name__}: {problem}")
        return report(_code_of(problem), str(problem))


def _code_of(problem):
    """As the C++ program: what the simulated device reported; on a GPU a failed check."""
    from .. import _core, _device
    from .._errors import DeviceError, InternalError

    if isinstance(problem, InternalError):
        return INTERNAL
    if not isinstance(problem, DeviceError):
        return REFUSED
    runs = _core.take_simulated_runs(_device.best())
    if runs is not None:
        return runs["fault"] or LIMIT
    return LIMIT if "out of memory" in str(problem) else WRONG
