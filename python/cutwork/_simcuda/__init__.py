# __init__.py -- the parts of what stands in for cuda.bindings on the simulated device.
