#!/usr/bin/env python3
# verify_kernel.py -- compares a kernel file with its reference: `cutwork verify KERNEL.py`, started by any Python 3.
import sys

from kernel_command import start

if __name__ == "__main__":
    sys.exit(start("verify"))
