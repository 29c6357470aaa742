"""Probabilities of classes by whole numbers, with the bits of the C and Go code of `ialgn compile --probabilities`.

The program's package internal/softmax has the same steps. Every step is one operation of IEEE 754, so the table has the
same bits on every processor.
"""

import math

import numpy as np

ONE = 1 << 23  # what stands for exp(0) = 1 in a table
_BITS = 16


def _exponential(x):
    """Return e**x for x <= 0."""
    if x == -math.inf:  # no halving changes it
        return 0.0
    halvings = 0
    while x < -0.125:
        x /= 2
        halvings += 1
    e = 1.0
    for n in range(12, 0, -1):
        e = 1 + x * e / n
    for _ in range(halvings):
        e *= e
    return e


def powers(temperature, largest):
    """Return exp(-d / temperature) for the differences d of counts from 0 to largest at most, in units of 1 / ONE,
    uint32. It ends before the first one that is 0."""
    step, power, table = _exponential(-1 / temperature), 1.0, []
    while len(table) <= largest and int(power * ONE + 0.5) > 0:
        table.append(int(power * ONE + 0.5))
        power *= step
    return np.array(table, np.uint32)


def fixed(table, counts):
    """Return the probabilities of classes in units of 1/65536, rounded down, uint16 [n, classes]. 1 becomes 65535."""
    table = np.append(table.astype(np.int64), 0)
    differences = counts.max(axis=1, keepdims=True).astype(np.int64) - counts
    parts = table[np.minimum(differences, len(table) - 1)]
    quotients = (parts << _BITS) // parts.sum(axis=1, keepdims=True)
    return np.minimum(quotients, (1 << _BITS) - 1).astype(np.uint16)
