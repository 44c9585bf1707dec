# arith.py -- operations of the arith dialect on Cutwork's numbers and vectors.


def addf(a, b, *, loc=None, ip=None, **_):
    return a + b


def mulf(a, b, *, loc=None, ip=None, **_):
    return a * b


addi, muli = addf, mulf
