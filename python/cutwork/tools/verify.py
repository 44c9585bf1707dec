# verify.py -- `cutwork verify kernel.py`: kernel_fn is run and compared with reference_fn.

import json
import math
import sys

from . import contract
from .contract import DONE, USAGE, WRONG, KernelFile, Problem

WORST = 5
HELP = """
The file has kernel_fn(*inputs), reference_fn(*inputs) and get_inputs(). It may have odd_shapes, a list of
extents that get_inputs(*extents) takes, and rtol and atol. New tensors hold poison while kernel_fn runs (NaN
for floats, a byte pattern for integers), so that an element that is not written is noticed. An element is right if
|it - reference| <= atol + rtol * |reference|. Inputs must come back as reference_fn leaves them. Exit codes: 0 right;
1 something is wrong; 2 usage, or no such file; 3 the kernel is refused; 10 to 20 faults of the simulated device."""


def parser():
    made = contract.Parser(prog="cutwork verify", description="Run a kernel file and compare it with its reference",
                           epilog=HELP, formatter_class=contract.argparse.RawDescriptionHelpFormatter)
    made.add_argument("file", help="the kernel file, NAME.py")
    made.add_argument("--rtol", type=contract.tolerance, help="relative tolerance; else the file's, or 1e-3")
    made.add_argument("--atol", type=contract.tolerance, help="absolute tolerance; else the file's, or 1e-3")
    made.add_argument("--device", help="cuda:0, sim:sm_90a, ...; else the best that there is")
    made.add_argument("--shape", type=contract.extents, help="extents for get_inputs, as in 1024x512; else its own and odd_shapes")
    made.add_argument("--seed", type=contract.natural, default=0, help="of the random inputs (0)")
    made.add_argument("--rounds", type=contract.positive, default=2, help="fresh random inputs of the first shape (2)")
    made.add_argument("--counters", action="store_true", help="on a simulated device, print what each line of the kernels did")
    made.add_argument("--html", metavar="FILE", help="write what --counters prints to a page instead")
    made.add_argument("--json", action="store_true", help="print the statistics as JSON")
    return made


def _numbers(tensor):
    """On the host: integers as they are, floats as double."""
    import torch

    tensor = tensor.detach().cpu()
    return tensor.to(torch.float64 if tensor.dtype.is_floating_point else torch.int64)


def _element(at, got, expected, unwritten):
    absolute = abs(got - expected) if math.isfinite(got) and math.isfinite(expected) else float("nan")
    return {"at": list(at), "got": got, "expected": expected, "absolute": absolute,
            "relative": absolute / abs(expected) if expected else float("inf") if absolute else 0.0, "unwritten": unwritten}


def _worst(wrong, got, expected, absolute, poisoned):
    """The wrong elements with the greatest error, NaN first."""
    import torch

    flat = torch.nonzero(wrong.reshape(-1)).reshape(-1)
    errors = torch.nan_to_num(absolute.reshape(-1)[flat], nan=float("inf"))
    found = []
    for i in flat[torch.argsort(errors, descending=True, stable=True)[:WORST]].tolist():
        at = [int(x) for x in torch.unravel_index(torch.tensor(i), wrong.shape)] if wrong.dim() else []
        found.append(_element(at, got.reshape(-1)[i].item(), expected.reshape(-1)[i].item(), bool(poisoned.reshape(-1)[i])))
    return found


def compare(name, output, reference, rtol, atol, round_=0):
    """Statistics of an output; `wrong` counts its elements that are not right."""
    import torch

    from . import poison

    report = {"name": name, "type": str(output.dtype).removeprefix("torch."), "shape": list(output.shape),
              "reference_type": str(reference.dtype).removeprefix("torch."), "reference_shape": list(reference.shape),
              "elements": output.numel(), "wrong": 0, "nan": 0, "unwritten": 0, "max_absolute": 0.0, "max_relative": 0.0,
              "mean_absolute": 0.0, "worst": []}
    if output.shape != reference.shape:
        report["wrong"] = output.numel() or 1
        return report
    got, expected = _numbers(output), _numbers(reference)
    if got.dtype != expected.dtype:
        got, expected = got.to(torch.float64), expected.to(torch.float64)
    same = (got == expected) | (got.isnan() & expected.isnan())
    absolute = torch.where(same, 0, (got - expected).abs()).to(torch.float64)
    wrong = ~same & ~(absolute <= atol + rtol * expected.abs().to(torch.float64))
    wrong |= ~same & expected.isinf()  # a tolerance of infinity times rtol allows nothing
    poisoned = poison.is_poison(output.detach().cpu(), round_) & wrong
    finite = absolute[absolute.isfinite()]
    relative = (absolute / expected.abs().to(torch.float64))[(expected != 0) & absolute.isfinite()]
    report.update(wrong=int(wrong.sum()), nan=int((got.isnan() & ~expected.isnan()).sum()), unwritten=int(poisoned.sum()),
                  max_absolute=finite.max().item() if finite.numel() else 0.0,
                  max_relative=relative.max().item() if relative.numel() else 0.0,
                  mean_absolute=finite.mean().item() if finite.numel() else 0.0,
                  worst=_worst(wrong, got, expected, absolute, poisoned))
    return report


def _outputs(file, inputs, round_):
    """(outputs, inputs afterwards) of kernel_fn with poison in its new tensors, and of reference_fn."""
    from . import poison

    ours, theirs = contract.clone(inputs), contract.clone(inputs)
    with poison.Poisoned(round_):
        made = contract.flat(file.kernel_fn(*ours))
    contract.synchronize()
    return made, ours, contract.flat(file.reference_fn(*theirs)), theirs


def verify_once(file, inputs, rtol, atol, round_=0):
    """One run: a report with its outputs and the inputs that came back changed."""
    made, ours, expected, theirs = _outputs(file, inputs, round_)
    if len(made) != len(expected):
        raise Problem(WRONG, f"{file.path}: kernel_fn returns {len(made)} tensors ({', '.join(n for n, _ in made)}), reference_fn "
                      f"{len(expected)} ({', '.join(n for n, _ in expected)})")
    outputs = [compare(name, one, other, rtol, atol, round_) for (name, one), (_, other) in zip(made, expected)]
    before, changed = contract.tensors(inputs), []
    for (name, one), (_, other), (_, old) in zip(contract.tensors(ours), contract.tensors(theirs), before):
        if _same(one, other):
            if not _same(one, old):  # written in place, by both, to the same bits
                outputs.append(compare(name, one, other, rtol, atol, round_))
        elif _same(other, old):
            changed.append(name)
        else:
            outputs.append(compare(name, one, other, rtol, atol, round_))
    if not outputs:
        raise Problem(WRONG, f"{file.path}: neither function returns a tensor, and reference_fn changes no input: there is "
                      "nothing to compare")
    return {"outputs": outputs, "changed_inputs": changed, "passed": not changed and not any(o["wrong"] for o in outputs)}


def _same(a, b):
    import torch

    a, b = a.detach().cpu(), b.detach().cpu()
    return a.shape == b.shape and torch.equal(a.contiguous().view(-1).view(torch.uint8), b.contiguous().view(-1).view(torch.uint8))


def _number(x):
    return f"{x:.6g}" if isinstance(x, float) else str(x)


def output_text(o):
    shape = contract.shape_text(o["shape"])
    head = f"{o['name']} {shape} {o['type']}"
    if o["shape"] != o["reference_shape"]:
        return [f"{head}: WRONG SHAPE; the reference has {contract.shape_text(o['reference_shape'])}"]
    note = "" if o["type"] == o["reference_type"] else f" (the reference is {o['reference_type']})"
    if not o["wrong"]:
        return [f"{head}{note}: right; max error {o['max_absolute']:.3g} absolute, {o['max_relative']:.3g} relative"]
    lines = [f"{head}{note}: {o['wrong']} of {o['elements']} wrong; max error {o['max_absolute']:.3g} absolute, "
             f"{o['max_relative']:.3g} relative, mean {o['mean_absolute']:.3g}"
             + (f"; {o['nan']} NaN" if o["nan"] else "") + (f"; {o['unwritten']} never written" if o["unwritten"] else "")]
    for w in o["worst"]:
        place = "(" + ",".join(map(str, w["at"])) + ")"
        lines.append(f"  at {place}: " + ("never written" if w["unwritten"] else f"got {_number(w['got'])}")
                     + f", expected {_number(w['expected'])}")
    return lines


def report_text(title, report):
    lines = [line for o in report["outputs"] for line in output_text(o)]
    lines += [f"{name}: an input, changed by kernel_fn" for name in report["changed_inputs"]]
    return "".join(f"{title}: {line}\n" if not line.startswith(" ") else f"{line}\n" for line in lines)


def _runs(file, options):
    """(shape, seed, title, round) of every run."""
    first = options.shape or ()
    title = contract.shape_text(first) if first else "inputs"
    for i in range(options.rounds):
        yield first, options.seed + i, title if i == 0 else f"{title}, fresh", i
    if not options.shape:
        for i, shape in enumerate(file.odd_shapes()):
            yield shape, options.seed, contract.shape_text(shape), options.rounds + i


def _json_safe(value):
    """JSON has no NaN and no infinity."""
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"
    if isinstance(value, dict):
        return {key: _json_safe(item) for key, item in value.items()}
    return [_json_safe(item) for item in value] if isinstance(value, (list, tuple)) else value


def _profile(on):
    from .. import _core

    _core.profile_simulated_runs(on)


def _counters(device):
    """(text, HTML, list for JSON) of what the kernels did since this was last asked."""
    from .. import _core

    profiles = _core.take_simulated_runs(device)["profiles"]
    return ("".join("\n" + one.pop("text") for one in profiles) + "\n", "".join(one.pop("html") for one in profiles),
            profiles)


class Page:
    """What --html writes: a part for each shape that was run."""

    def __init__(self, path, title):
        self.path, self.title, self.parts = path, title, []

    def write(self):
        """Why it could not be written; nothing if it was, if there is nothing to write or nowhere to write it to."""
        from .. import _core

        if self.path is None or not self.parts:
            return ""
        try:
            with open(self.path, "w", encoding="utf-8", errors="replace") as out:
                out.write(_core.profile_page(self.title, self.parts))
        except OSError as problem:
            return f"cannot write {self.path}: {problem.strerror}"
        return ""


def _print_end(options, device, file, rtol, atol, shapes, error=None):
    passed = not error and all(one["passed"] for one in shapes)
    if not options.json:
        if not error:
            print("passed" if passed else "FAILED")
        return
    result = {"case": file.name, "device": device.name, "rtol": rtol, "atol": atol, "seed": options.seed, "passed": passed,
              "shapes": shapes}
    if error:
        result["error"] = str(error)
    print(json.dumps(_json_safe(result)))


def main(arguments):
    options = parser().parse_args(arguments)
    device = contract.prepare(options.device)
    counters = options.counters or options.html is not None
    if counters and not device.simulated:
        raise Problem(USAGE, f"--{'counters' if options.html is None else 'html'}: {device.name} is a GPU; counts are of simulated "
                      "devices, as with --device sim:sm_90a")
    with contract.quiet(options.json):
        file = KernelFile(options.file)
    rtol, atol = ((getattr(file.module, name, 1e-3) if given is None else given)
                  for name, given in (("rtol", options.rtol), ("atol", options.atol)))
    if not options.json:
        print(f"{file.name} on {device.name}, rtol {rtol:g}, atol {atol:g}", flush=True)
    shapes, page = [], Page(options.html, f"{file.name} on {device.name}")
    _profile(counters)
    try:
        for shape, seed, title, round_ in _runs(file, options):
            with contract.quiet(options.json):
                report = verify_once(file, file.inputs(shape, seed), rtol, atol, round_)
            shapes.append({"shape": list(shape), "seed": seed, **report})
            text = report_text(title, report)
            if counters:
                counted, html, shapes[-1]["counters"] = _counters(device)
                page.parts.append((f"{title}: {'right' if report['passed'] else 'WRONG'}", html))
                text += counted if options.html is None else ""
            if not options.json:
                print(text, end="", flush=True)
    except Exception as problem:
        # The page has the shapes that came before; what is wrong with it does not hide what was wrong before.
        if unwritten := page.write():
            print(f"cutwork: error: verify: {unwritten}", file=sys.stderr)
        if not isinstance(problem, Problem) or problem.code != USAGE:
            _print_end(options, device, file, rtol, atol, shapes, problem)
        raise
    finally:
        _profile(False)
    unwritten = page.write()
    if options.html is not None and not options.json and not unwritten:
        print(f"wrote {options.html}")
    _print_end(options, device, file, rtol, atol, shapes)
    if unwritten:
        raise Problem(USAGE, unwritten)
    return DONE if all(one["passed"] for one in shapes) else WRONG


if __name__ == "__main__":
    sys.exit(contract.run_main("verify", main, sys.argv[1:]))
