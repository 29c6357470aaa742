"""The network that the argmaxes of a model select, and its forward pass on 64 samples a word."""

import numpy as np

from .errors import ModelError

_BLOCK = 1 << 16  # bytes of a row of nodes and samples in work, about: what stays in a processor's cache
_SAMPLES = 1 << 14  # of one pass

_ONES = np.uint64(0xFFFFFFFFFFFFFFFF)


class Layer:
    """One layer: wires, intp [pins, width], by sources of the input bits, of the layer before or of the layer base; and
    lines, bool [2^pins, width]: the truth tables, pin 0 being the highest digit of a line's number."""

    def __init__(self, wires, sources, lines, base=None):
        self.wires, self.sources, self.base = wires, sources, base
        self.masks = np.where(lines, _ONES, np.uint64(0))[:, :, None]

    @property
    def width(self):
        return self.wires.shape[1]


def pack(bits):
    """Return bits, bool [n, rows], as words, uint64 [rows, words]: bit i of word w is sample 64 w + i."""
    n, rows = bits.shape
    words = -(-n // 64)
    packed = np.zeros((words * 8, rows), np.uint8)
    packed[: -(-n // 8)] = np.packbits(bits, axis=0, bitorder="little")
    return np.ascontiguousarray(packed.T).view("<u8").astype(np.uint64, copy=False)


def unpack(words, n):
    """Return the first n samples of words, uint8 [rows, n]."""
    return np.unpackbits(words.astype("<u8", copy=False).view(np.uint8), axis=1, count=n, bitorder="little")


def run(layers, bits):
    """Return the last layer's words, uint64 [width, words], of input bits, bool [n, inputs]."""
    rows = {"input": pack(bits)}
    kept, wanted = {}, {layer.base for layer in layers}  # what later layers read
    for i, layer in enumerate(layers):
        rows["base"] = kept.get(layer.base)
        rows["previous"] = rows["spine"] = _run_layer(layer, rows)
        if i in wanted:
            kept[i] = rows["previous"]
    return rows["previous"]


def _run_layer(layer, of):
    words = of["input"].shape[1]
    out = np.empty((layer.width, words), np.uint64)
    step = max(1, _BLOCK // max(1, words * 8))
    for first in range(0, layer.width, step):
        part = slice(first, min(first + step, layer.width))
        rows = [of[source][wires[part]] for wires, source in zip(layer.wires, layer.sources)]
        out[part] = _look(layer.masks[:, part], rows)
    return out


def _look(lines, rows):
    """Return what tables have at the lines that pins address. Each pin halves the lines, the lowest digit first."""
    *others, last = rows
    values = [(last & (zero ^ one)) ^ zero for zero, one in zip(lines[0::2], lines[1::2])]
    for row in reversed(others):
        values = [((one ^ zero) & row) ^ zero for zero, one in zip(values[0::2], values[1::2])]
    return values[0]


def counts(layers, bits, classes):
    """Return how many bits of each class's group of the last layer are 1, int32 [n, classes]."""
    n = len(bits)
    total = np.zeros((n, classes), np.int32)
    for first in range(0, n, _SAMPLES):
        part = bits[first : first + _SAMPLES]
        words = run(layers, part)
        size = len(words) // classes
        for c in range(classes):
            for i in range(0, size, 255):  # sums of at most 255 bits are bytes
                group = unpack(words[c * size + i : min(c * size + i + 255, (c + 1) * size)], len(part))
                total[first : first + len(part), c] += group.sum(axis=0, dtype=np.uint8)
    return total


def last_layer(layers, bits):
    """Return the bits of the last layer, bool [n, width]."""
    parts = [bits[i : i + _SAMPLES] for i in range(0, len(bits), _SAMPLES)] or [bits]
    return np.concatenate([unpack(run(layers, part), len(part)).T for part in parts]).astype(bool)


def uncertain(counts, margin):
    """Return where the largest count leads the second largest by less than the margin, bool [n]. With a single class
    the second largest count is 0."""
    if not isinstance(margin, (int, np.integer)) or margin < 1:
        raise ModelError("", f"a margin of {margin!r}", "give a whole number of at least 1")
    if counts.shape[1] == 1:
        return counts[:, 0] < margin
    largest = np.partition(counts, -2, axis=1)[:, -2:]
    return largest[:, 1] - largest[:, 0] < margin
