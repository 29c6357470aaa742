#!/usr/bin/env python3
"""Class counts and logits of an ialgn model file, rebuilt in numpy.

usage: logits.py MODEL.safetensors INPUTS.{npy,csv}

INPUTS has one row a sample and one column an input bit, 0 or 1: bit
f * (bits - 1) + j - 1 is 1 if feature f is above its threshold j (see README.md).
Prints one CSV row a sample: the class, the counts of all classes, their logits.
"""

import json
import sys

import numpy as np


def read_tensors(path):
    """Return metadata and arrays by the plain definition of the format."""
    types = {"U16": "<u2", "U32": "<u4", "F32": "<f4", "F64": "<f8"}
    with open(path, "rb") as file:
        raw = file.read()
    data = 8 + int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8:data])
    metadata = header.pop("__metadata__")
    arrays = {}
    for name, t in header.items():
        begin, end = (data + offset for offset in t["data_offsets"])
        arrays[name] = np.frombuffer(raw[begin:end], types[t["dtype"]]).reshape(t["shape"])
    return metadata, arrays


def read_with_package(path):
    """Return the same by the public safetensors package."""
    from safetensors import safe_open

    with safe_open(path, framework="numpy") as file:
        return file.metadata(), {name: file.get_tensor(name) for name in file.keys()}


def read(path):
    try:
        import safetensors  # noqa: F401
    except ImportError:
        return read_tensors(path)
    return read_with_package(path)


def truth_bits(ops, pins):
    """Return the value of each line of each node's truth table, [width, layers, 2^pins].

    The number of a line has the pins as its binary digits, pin A as the highest. Sixteen
    logits of two pins choose an operation, whose number has f(0,0) as its bit 3 and f(1,1)
    as its bit 0. Otherwise there is a logit for each line: above 0 is 1.
    """
    if pins != 2 or ops.shape[2] == 4:
        return ops > 0
    number = ops.argmax(axis=2)
    return np.stack([number >> shift & 1 for shift in (3, 2, 1, 0)], axis=2) > 0


def chosen_wires(arrays, prefix):
    """Return the candidate with the largest logit, the first of several, [width, layers]."""
    wires = arrays[prefix + "wires"]
    logits = arrays.get(prefix + "logits")
    best = np.zeros(wires.shape[:2], int) if logits is None else logits.argmax(axis=2)
    return np.take_along_axis(wires, best[:, :, None], axis=2)[:, :, 0].astype(int)


def pins_of(section):
    """Return the pins of a section: a and b in version 1, a list in later ones."""
    return section["pins"] if "pins" in section else [section["a"], section["b"]]


def convolve(grid, truth, wires, before, bits):
    """Return what leaves a section whose nodes the positions of an image share.

    before are the image's bits, plane by plane, each row by row, of the input with so many bits a pixel: bit j of plane f
    is plane f * bits + j. A patch has side * side pixels of every plane; pixels beyond the edges are 0.
    """
    pad, side, step = grid["padding"], grid["side"], grid["stride"]
    image = before.reshape(len(before), grid["planes"], grid["rows"], grid["columns"], bits).transpose(0, 1, 4, 2, 3)
    image = image.reshape(len(before), -1, grid["rows"], grid["columns"])
    image = np.pad(image, ((0, 0), (0, 0), (pad, pad), (pad, pad))).astype(int)
    rows, columns = ((n - side) // step + 1 for n in image.shape[2:])
    nodes = []
    for k in range(len(truth)):
        line = 0
        for wire in wires:
            plane, row, column = np.unravel_index(wire[k, 0], (image.shape[1], side, side))
            pixels = image[:, plane, row : row + step * rows : step, column : column + step * columns : step]
            line = 2 * line + pixels
        nodes.append(truth[k, 0][line])
    h = np.stack(nodes, axis=1)  # [samples, nodes, rows, columns]
    if grid["pool"] == 2:
        h = h[:, :, : rows // 2 * 2, : columns // 2 * 2]
        h = h[:, :, 0::2, 0::2] | h[:, :, 0::2, 1::2] | h[:, :, 1::2, 0::2] | h[:, :, 1::2, 1::2]
    return h.reshape(len(h), -1)


def last_layer(metadata, arrays, x):
    """Return the bits of the last layer, [samples, width], of the input bits x."""
    h = None
    bits_of_feature = json.loads(metadata["encoder"])["bits"] - 1
    for i, section in enumerate(json.loads(metadata["sections"])):
        pins = pins_of(section)
        truth = truth_bits(arrays[f"section{i}.ops"], len(pins))
        wires = [
            None if pin["source"] == "spine" else chosen_wires(arrays, f"section{i}.{'abcdef'[k]}.")
            for k, pin in enumerate(pins)
        ]
        if "grid" in section:
            h = convolve(section["grid"], truth, wires, x if i == 0 else h, bits_of_feature if i == 0 else 1)
            continue
        for layer in range(section["layers"]):
            line = 0
            for pin, wire in zip(pins, wires):
                if pin["source"] == "spine":
                    bits = h  # the same node of the layer before
                else:
                    bits = (x if pin["source"] == "input" else h)[:, wire[:, layer]]
                line = 2 * line + bits.astype(int)
            h = np.take_along_axis(truth[None, :, layer], line[:, :, None], axis=2)[:, :, 0]
    return h


def counts_and_logits(path, x):
    """Return the class counts and the logits, both [samples, classes]."""
    metadata, arrays = read(path)
    if metadata["format"] != "ialgn-model" or metadata["version"] not in ("1", "2", "3"):
        raise ValueError(f"{path}: not a model file of version 1 to 3")
    inputs = arrays["encoder.thresholds"].size
    if x.ndim != 2 or x.shape[1] != inputs:
        raise ValueError(f"inputs of shape {x.shape}, the model reads {inputs} bits a sample")
    h = last_layer(metadata, arrays, x > 0)
    classes = len(json.loads(metadata["classes"]))
    counts = h.reshape(len(x), classes, -1).sum(axis=2)
    return counts, counts / json.loads(metadata["config"])["model"]["tau"]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    _, model, inputs = sys.argv
    x = np.load(inputs) if inputs.endswith(".npy") else np.loadtxt(inputs, delimiter=",", ndmin=2)
    counts, logits = counts_and_logits(model, x)
    classes = range(counts.shape[1])
    print(",".join(["class"] + [f"count_{c}" for c in classes] + [f"logit_{c}" for c in classes]))
    for n, z in zip(counts, logits):
        print(",".join([str(n.argmax())] + [str(v) for v in n] + [repr(float(v)) for v in z]))


if __name__ == "__main__":
    try:
        main()
    except (OSError, KeyError, ValueError) as error:
        sys.exit(f"logits.py: error: {error}")
