# __init__.py -- the parts of cutwork.simulated_torch: torch with a GPU that is simulated.
