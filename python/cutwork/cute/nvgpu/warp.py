# warp.py -- matrix instructions of a warp (mma.sync, ldmatrix): not there yet; imports of the module work.

from .absent import absent


def __getattr__(name):
    return absent(__name__, name)
