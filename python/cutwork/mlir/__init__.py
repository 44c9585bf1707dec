# __init__.py -- look-alikes of the few MLIR names that CuTe DSL programs reach for.
