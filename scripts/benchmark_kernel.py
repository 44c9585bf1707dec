#!/usr/bin/env python3
# benchmark_kernel.py -- times a kernel file beside its reference: `cutwork bench KERNEL.py`, started by any Python 3.
import sys

from kernel_command import start

if __name__ == "__main__":
    sys.exit(start("bench"))
