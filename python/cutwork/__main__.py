# __main__.py -- `python -m cutwork script.py args...`: runs a script that imports cutlass.

import os
import runpy
import sys


def _environment():
    """Programs that this one starts find the Python that runs it, also where its environment was not activated."""
    if sys.prefix == sys.base_prefix or "VIRTUAL_ENV" in os.environ:
        return
    os.environ["VIRTUAL_ENV"] = sys.prefix
    os.environ["PATH"] = os.pathsep.join([os.path.join(sys.prefix, "bin"), os.environ.get("PATH", os.defpath)])


def main():
    arguments = sys.argv[1:]
    if not arguments or arguments[0] in ("-h", "--help"):
        print("Usage: python -m cutwork SCRIPT [ARGUMENTS...]\n\nRuns a CuTe DSL script unmodified. Without a GPU it runs on the "
              "simulated device (CUTWORK_DEVICE names another one).")
        return 0 if arguments else 2
    _environment()  # before the environment is read
    from ._errors import DeviceError, UserError, trim
    from ._pipes import nobody_reads

    try:
        from . import _simulation, compat  # noqa: F401

        _simulation.activate_if_needed()
    except (DeviceError, UserError) as problem:  # a variable's value that is not accepted, a device that is not there
        print(f"cutwork: error: {problem.message}", file=sys.stderr)
        return 2
    script = arguments[0]
    if not os.path.exists(script):
        print(f"cutwork run: there is no file {script}", file=sys.stderr)
        return 2
    sys.argv = arguments
    sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
    try:
        runpy.run_path(script, run_name="__main__")
    except Exception as error:
        if isinstance(error, BrokenPipeError) and nobody_reads():
            raise
        # As Python does at the end of a program, without the frames in front of the script's.
        trim(error)
        sys.excepthook(type(error), error, error.__traceback__)
        return 1
    return 0


if __name__ == "__main__":
    from ._command import command

    sys.exit(command("python -m cutwork"))
