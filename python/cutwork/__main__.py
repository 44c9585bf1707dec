# __main__.py -- `python -m cutwork script.py args...` runs a script that imports cutlass; verify, bench and new, as `cutwork`.

import os
import runpy
import sys

USAGE = """Usage: {program} SCRIPT [ARGUMENTS...]      (run SCRIPT [ARGUMENTS...] is the same)
       {program} verify KERNEL.py [OPTIONS]   compare a kernel file with its reference
       {program} bench KERNEL.py [OPTIONS]    time it
       {program} new elementwise|reduction DIR   start a project

Runs a CuTe DSL script unmodified. Without a GPU it runs on the simulated device (CUTWORK_DEVICE names another one)."""
COMMANDS = ("verify", "bench", "new")
OF_THE_PROGRAM = ("layout", "sim", "cases", "compile", "info")  # commands of the C++ program, which no wheel holds


def run(arguments, program):
    """The script arguments[0] as __main__; its exit code."""
    if not arguments or arguments[0] in ("-h", "--help"):
        print(USAGE.format(program=program), file=sys.stdout if arguments else sys.stderr)
        return 0 if arguments else 2
    from . import compat  # noqa: F401
    from . import _simulation

    _simulation.activate_if_needed()
    script = arguments[0]
    if not os.path.exists(script):
        if script in OF_THE_PROGRAM:
            print(f"cutwork: error: {script} is a command of the program cutwork, which the Python package does not hold; it is in "
                  "build/bin of a build from source", file=sys.stderr)
            return 2
        print(f"cutwork run: there is no file {script}", file=sys.stderr)
        return 2
    sys.argv = arguments
    sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
    runpy.run_path(script, run_name="__main__")
    return 0


def main(program="python -m cutwork"):
    arguments = sys.argv[1:]
    if arguments and arguments[0] in COMMANDS:
        import importlib

        from .tools import contract

        command = importlib.import_module(f"cutwork.tools.{arguments[0]}")
        return contract.run_main(arguments[0], command.main, arguments[1:])
    if arguments[:1] == ["run"]:
        arguments = arguments[1:]
    elif arguments[:1] == ["--version"]:
        from . import __version__

        print(f"cutwork {__version__}")
        return 0
    return run(arguments, program)


def console():
    """The command `cutwork` of the installed package."""
    return main("cutwork")


if __name__ == "__main__":
    sys.exit(main())
