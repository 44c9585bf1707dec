# lit.cfg.py -- lit runs the IR tests: cutwork-opt and FileCheck on text, one file per op, pass or spike.
import os
import sys

import lit.formats

config.name = "Cutwork IR"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.test_source_root = os.path.dirname(__file__)
build = os.environ["CUTWORK_BUILD"]
config.test_exec_root = os.path.join(build, "test-results", "ir")
config.environment["PATH"] = os.pathsep.join(
    [os.path.join(build, "bin"), "/usr/lib/llvm-22/bin", os.environ["PATH"]])
config.substitutions.append(("%python", sys.executable))
