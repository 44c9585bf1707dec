# programs.py -- on a GPU: the public CuTe DSL programs with their default arguments, and notebooks with their stored outputs.
"""CUTWORK_EXAMPLES names a checkout. Prints a line for each, and what differs."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "test/python"))

from programs import APPLY, BASE, NOTEBOOKS, PROGRAMS, run, wrong_cells  # noqa: E402


def attempt(name, work):
    try:
        wrong = work()
    except Exception as error:  # the lines of what failed; the others go on
        wrong = str(error)[-600:]
    print(f"{'passed' if not wrong else 'FAILED'}  {name}", flush=True)
    if wrong:
        print("        " + "\n        ".join(str(wrong).splitlines()[-12:]), flush=True)
    return not wrong


def programs():
    """{name: [command], text that is printed}: each program once as it is, elementwise_apply with each operation."""
    found = {}
    for name, ((program, *options), printed) in PROGRAMS.items():
        if name.startswith("elementwise_apply-") and "--op" in options:
            found[name] = [APPLY[0], *options[options.index("--op"):]], printed
        elif name.startswith("cta_norm-"):
            found[name] = [program, *options[options.index("--norm_type"):]], printed
        else:
            found.setdefault(program, ([program], printed))
    return found


def main():
    passed = [attempt(name, lambda: printed not in run("-m", "cutwork", BASE / command[0], *command[1:]))
              for name, (command, printed) in programs().items()]
    passed += [attempt(name, lambda: "\n".join(wrong_cells(name))) for name in NOTEBOOKS]
    print(f"{sum(passed)} of {len(passed)} passed")
    sys.exit(not all(passed))


main()
