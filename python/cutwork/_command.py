# _command.py -- the command line of the package: scripts, and the commands verify, bench and new on kernel files.

import os
import sys

from ._pipes import ends_quietly

USAGE = """Usage: {program} SCRIPT [ARGUMENTS...]      (run SCRIPT [ARGUMENTS...] is the same)
       {program} verify KERNEL.py [OPTIONS]   compare a kernel file with its reference
       {program} bench KERNEL.py [OPTIONS]    time it
       {program} new elementwise|reduction DIR   start a project

Runs a CuTe DSL script unmodified. Without a GPU it runs on the simulated device (CUTWORK_DEVICE names another one)."""
COMMANDS = ("verify", "bench", "new")
OF_THE_PROGRAM = ("layout", "sim", "cases", "compile", "info", "cache", "debug")  # commands of the C++ program, which no wheel holds


@ends_quietly
def command(program):
    """Does what sys.argv says; the exit code. `program` is how the user names it."""
    arguments = sys.argv[1:]
    first = arguments[0] if arguments else ""
    if not arguments or first in ("-h", "--help"):
        print(USAGE.format(program=program), file=sys.stdout if arguments else sys.stderr)
        return 0 if arguments else 2
    if first in COMMANDS:
        import importlib

        from .tools import contract

        return contract.run_main(first, importlib.import_module(f"cutwork.tools.{first}").main, arguments[1:])
    if first == "--version":
        from . import __version__

        print(f"cutwork {__version__}")
        return 0
    if first in OF_THE_PROGRAM and not os.path.exists(first):
        print(f"cutwork: error: {first} is a command of the program cutwork, which the Python package does not hold; it is in "
              "build/bin of a build from source", file=sys.stderr)
        return 2
    from .__main__ import main

    if first == "run":
        del sys.argv[1]
    return main()


def console():
    """The command `cutwork` of the installed package."""
    return command("cutwork")
