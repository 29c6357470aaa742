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


def patches(grid, before, bits):
    """Return the planes that a grid's patches are of, [samples, planes, rows, columns], with the zeros around them.

    before are the image's bits, plane by plane, each row by row, of the input with so many bits a pixel: bit j of
    plane f is plane f * bits + j. Zeros are as many as patches of the last position reach.
    """
    planes, rows, columns, pad = (grid[key] for key in ("planes", "rows", "columns", "padding"))
    image = before.reshape(len(before), planes, rows, columns, bits).transpose(0, 1, 4, 2, 3)
    image = image.reshape(len(before), -1, rows, columns)
    after = pad + grid["side"] * grid["stride"]
    return np.pad(image, ((0, 0), (0, 0), (pad, after), (pad, after))).astype(int)


def convolve(section, truth, wires, images, bits):
    """Return what leaves a section whose nodes the positions of an image share.

    A patch has side * side pixels of every plane; pixels beyond the edges are 0. Pins on the input or on the base may
    read patches of other images at the same positions.
    """
    grid = section["grid"]
    sources = [pin["source"] for pin in section["pins"]]
    of = [{"input": grid.get("field"), "base": grid.get("base")}.get(source) or grid for source in sources]
    planes = [patches(g, images[source], bits if source == "input" else 1) for g, source in zip(of, sources)]
    rows, columns = ((grid[n] + 2 * grid["padding"] - grid["side"]) // grid["stride"] + 1 for n in ("rows", "columns"))
    nodes = []
    for k in range(len(truth)):
        line = 0
        for g, image, wire in zip(of, planes, wires):
            plane, row, column = np.unravel_index(wire[k, 0], (image.shape[1], g["side"], g["side"]))
            y, x = (first + g["stride"] * np.arange(n) for first, n in ((row, rows), (column, columns)))
            far = [i.clip(max=n - 1) for i, n in zip((y, x), image.shape[2:])]  # the last is a 0, too
            line = 2 * line + image[:, plane][:, far[0]][:, :, far[1]]
        nodes.append(truth[k, 0][line])
    h = np.stack(nodes, axis=1)  # [samples, nodes, rows, columns]
    if grid["pool"] == 2:
        h = h[:, :, : rows // 2 * 2, : columns // 2 * 2]
        h = h[:, :, 0::2, 0::2] | h[:, :, 0::2, 1::2] | h[:, :, 1::2, 0::2] | h[:, :, 1::2, 1::2]
    return h.reshape(len(h), -1)


def base_of(sections, i):
    """Return the section whose bits pins of section i with the source base read.

    Nodes after the convolutions read the last of these, those of kernels what stands before their lowest level: the
    nearest section back without a base.
    """
    grid = sections[i].get("grid")
    for at in range(i - 1, -1, -1):
        before = sections[at].get("grid")
        if grid is None and before is not None:
            return at
        if grid is not None and "base" in grid and "base" not in before:
            return at - 1
    return None


def last_layer(metadata, arrays, x):
    """Return the bits of the last layer, [samples, width], of the input bits x."""
    sections, left = json.loads(metadata["sections"]), []  # and what leaves each
    h = None
    for i, section in enumerate(sections):
        pins, base = pins_of(section), base_of(sections, i)
        truth = truth_bits(arrays[f"section{i}.ops"], len(pins))
        wires = [
            None if pin["source"] == "spine" else chosen_wires(arrays, f"section{i}.{'abcdef'[k]}.")
            for k, pin in enumerate(pins)
        ]
        images = {"input": x, "previous": h, "base": None if base is None else left[base]}
        if "grid" in section:
            h = convolve(section, truth, wires, images, json.loads(metadata["encoder"])["bits"] - 1)
            left.append(h)
            continue
        for layer in range(section["layers"]):
            line = 0
            for pin, wire in zip(pins, wires):
                if pin["source"] == "spine":
                    bits = h  # the same node of the layer before
                else:
                    bits = (h if pin["source"] == "previous" else images[pin["source"]])[:, wire[:, layer]]
                line = 2 * line + bits.astype(int)
            h = np.take_along_axis(truth[None, :, layer], line[:, :, None], axis=2)[:, :, 0]
        left.append(h)
    return h


def evaluate(path, x):
    """Return the classes, [samples], and the class counts and the logits, both [samples, classes]."""
    metadata, arrays = read(path)
    if metadata["format"] != "ialgn-model" or metadata["version"] not in ("1", "2", "3", "5") or "steps" in metadata:
        raise ValueError(f"{path}: not a model file of version 1, 2, 3 or 5, or of a recurrent network")
    inputs = arrays["encoder.thresholds"].size
    if x.ndim != 2 or x.shape[1] != inputs:
        raise ValueError(f"inputs of shape {x.shape}, the model reads {inputs} bits a sample")
    h = last_layer(metadata, arrays, x > 0)
    classes = len(json.loads(metadata["classes"]))
    counts = h.reshape(len(x), classes, -1).sum(axis=2) + json.loads(metadata.get("offsets", "0"))
    order = np.array(json.loads(metadata.get("ties", "null")) or range(classes))
    winners = order[counts[:, order].argmax(axis=1)]  # of equal counts the first in the tie order
    return winners, counts, counts / json.loads(metadata["config"])["model"]["tau"]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    _, model, inputs = sys.argv
    x = np.load(inputs) if inputs.endswith(".npy") else np.loadtxt(inputs, delimiter=",", ndmin=2)
    winners, counts, logits = evaluate(model, x)
    classes = range(counts.shape[1])
    print(",".join(["class"] + [f"count_{c}" for c in classes] + [f"logit_{c}" for c in classes]))
    for c, n, z in zip(winners, counts, logits):
        print(",".join([str(c)] + [str(v) for v in n] + [repr(float(v)) for v in z]))


if __name__ == "__main__":
    try:
        main()
    except (OSError, KeyError, ValueError) as error:
        sys.exit(f"logits.py: error: {error}")
