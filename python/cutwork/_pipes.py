# _pipes.py -- commands whose standard output nobody reads any more (`| head -1`) end without a word.

import functools
import os
import select
import signal
import sys


def nobody_reads():
    """Whether standard output is a pipe whose other end is closed."""
    try:
        watched = select.poll()
        watched.register(sys.__stdout__.fileno(), select.POLLERR)
        return any(events & select.POLLERR for _, events in watched.poll(0))
    except (AttributeError, OSError, ValueError):  # no standard output
        return False


def ends_quietly(command):
    """A function that gives an exit code, which is that of a program that SIGPIPE ends where nobody reads."""

    @functools.wraps(command)
    def run(*arguments):
        try:
            try:
                return command(*arguments)
            finally:
                if sys.stdout is not None and not sys.stdout.closed:
                    sys.stdout.flush()
        except BrokenPipeError:
            if not nobody_reads():  # a pipe or socket of the program's own
                raise
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno())  # for what is flushed at the end
            return 128 + signal.SIGPIPE

    return run


__all__ = ["ends_quietly", "nobody_reads"]
