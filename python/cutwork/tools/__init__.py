# __init__.py -- the commands on kernel files: verify, bench and new; each runs as `python -m cutwork.tools.NAME` too.
