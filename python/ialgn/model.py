"""A logic gate network: what its file holds, and what it computes."""

import csv
import json
import math

import numpy as np

from . import network, softmax
from .errors import Fault, ModelError
from .table import Table, category_of, is_number, is_table

MAX_CLASSES = 256
MAX_PINS = 6
SOURCES = ("input", "previous", "spine", "base")

_SAMPLES = 1 << 14  # encoded at a time, so that a large set never stands in memory as bits


class Pin:
    """One input of all nodes of a section.

    source is "input" (a bit of the encoded input), "previous" (a node of the layer before), "spine" (the node of the
    same index there, without wires) or "base" (a bit of the layer that the section's base names, further back). wires
    and logits are [width, layers, k]: the k candidates of each node and their logits, of which the largest counts, the
    first of equals; logits is None where k is 1.
    """

    def __init__(self, source, wires=None, logits=None):
        self.source, self.wires, self.logits = source, wires, logits

    def chosen(self):
        """Return the wire of each node, [width, layers]."""
        if self.logits is None:
            return self.wires[:, :, 0]
        best = self.logits.argmax(axis=2)
        return np.take_along_axis(self.wires, best[:, :, None], axis=2)[:, :, 0]


class Section:
    """A run of consecutive layers whose nodes have the same pins.

    ops, float32 [width, layers, 16] or [width, layers, 2^pins], has the logits of the operations of two pins in the
    paper's numbering, or those of a truth table's lines, in which pin 0 is the highest digit.

    grid is None, or the Grid at whose positions the nodes are evaluated: wires are then elements of a position's patch.
    base is the section whose bits pins with the source "base" read, None if there is none.
    """

    def __init__(self, ops, pins, grid=None, base=None):
        self.ops, self.pins, self.grid, self.base = ops, pins, grid, base

    @property
    def width(self):
        return self.ops.shape[0]

    @property
    def outputs(self):
        """Number of bits that leave each layer."""
        return self.width if self.grid is None else self.width * self.grid.places(pooled=True)

    @property
    def nodes(self):
        """Number of nodes in all layers, of shared ones at all positions."""
        return self.width * self.layers * (1 if self.grid is None else self.grid.places())

    @property
    def layers(self):
        return self.ops.shape[1]

    def lines(self):
        """Return the truth tables, bool [width, layers, 2^pins]."""
        if len(self.pins) == 2 and self.ops.shape[2] == 16:
            return self.ops.argmax(axis=2)[:, :, None] >> np.array([3, 2, 1, 0]) & 1 > 0
        return self.ops > 0

    def freeze(self, bits, base=None):
        """Return the layers that the argmaxes select, nodes that positions share once for each of them. bits is the
        number of input bits of a feature, base the last layer of the base."""
        if self.grid is not None:
            return self._unroll(bits, base)
        lines = np.ascontiguousarray(np.moveaxis(self.lines(), 0, 2))  # [layers, lines, width]
        own = np.broadcast_to(np.arange(self.width, dtype=np.intp)[:, None], (self.width, self.layers))
        wires = [own if pin.source == "spine" else pin.chosen() for pin in self.pins]
        wires = np.ascontiguousarray(np.stack(wires).transpose(2, 0, 1), np.intp)  # [layers, pins, width]
        sources = [pin.source for pin in self.pins]
        return [network.Layer(w, sources, t, base) for w, t in zip(wires, lines)]

    def _unroll(self, bits, base):
        """Return the layer of the nodes at all positions and, if they are pooled, that of the ORs."""
        places = self.grid.places()
        lines = np.repeat(self.lines()[:, 0].T, places, axis=1)  # [lines, width * places]
        wires = np.empty((len(self.pins), self.width * places), np.intp)
        for k, pin in enumerate(self.pins):
            grid, elements = self.grid.of(pin.source), pin.chosen()[:, 0].astype(np.intp)
            wires[k], outside = grid.read(elements, bits if pin.source == "input" else 1, self.grid.size())
            zero = np.arange(len(lines)) & ~(1 << (len(self.pins) - 1 - k))  # the same line with a 0 at this pin
            lines = np.where(outside, lines[zero], lines)
        layers = [network.Layer(wires, [pin.source for pin in self.pins], lines, base)]
        if self.grid.pool > 1:
            four = self.grid.pooled(self.width)
            lines = np.repeat(np.arange(1 << len(four))[:, None] > 0, four.shape[1], axis=1)
            layers.append(network.Layer(four, ["previous"] * len(four), lines))
        return layers


class Grid:
    """At which positions of an image nodes are evaluated, and what they read there.

    The image has planes of rows and columns. The patch of a position are the side x side pixels of all planes that
    begin stride times the position's row and column, less padding, from the upper left corner; pixels beyond the edges
    are 0. Element (plane * side + row) * side + column of the patch is a pixel of it. Of features with several input
    bits plane f * bits + j has bit j of plane f. With pool 2 what leaves is the OR of each two by two positions.

    field and base, unless None, are the Grids of what pins with the sources "input" and "base" read at the same
    positions.
    """

    KEYS = ("planes", "rows", "columns", "side", "stride", "padding", "pool")

    def __init__(self, planes, rows, columns, side, stride, padding, pool, field=None, base=None):
        self.field, self.base = field, base
        self.planes, self.rows, self.columns = planes, rows, columns
        self.side, self.stride, self.padding, self.pool = side, stride, padding, pool

    def of(self, source):
        """Return the grid of what pins of a source read."""
        return {"input": self.field, "base": self.base}.get(source) or self

    def size(self):
        """Return the number of rows and columns of positions."""
        return tuple((n + 2 * self.padding - self.side) // self.stride + 1 for n in (self.rows, self.columns))

    def places(self, pooled=False):
        """Return the number of positions, or of what is left of them when they are pooled."""
        rows, columns = (n // (self.pool if pooled else 1) for n in self.size())
        return rows * columns

    def read(self, elements, bits, size):
        """Return the bits that elements, [nodes], are at positions of that size, [nodes * places], and whether they are
        beyond the edges, where any bit stands for them. Node n at row y and column x is number (n * rows + y) * columns
        + x."""
        rows, columns = size
        plane, row, column = elements // self.side**2, elements // self.side % self.side, elements % self.side
        y = np.arange(rows)[:, None] * self.stride - self.padding + row[:, None, None]  # [nodes, rows, 1]
        x = np.arange(columns) * self.stride - self.padding + column[:, None, None]  # [nodes, 1, columns]
        outside = (y < 0) | (y >= self.rows) | (x < 0) | (x >= self.columns)
        y, x = y.clip(0, self.rows - 1), x.clip(0, self.columns - 1)
        image, bit = (plane // bits)[:, None, None], (plane % bits)[:, None, None]
        return (((image * self.rows + y) * self.columns + x) * bits + bit).reshape(-1), outside.reshape(-1)

    def pooled(self, width):
        """Return which positions each OR reads, [4, width * places]."""
        rows, columns = self.size()
        at = np.arange(width * rows * columns).reshape(width, rows, columns)
        at = at[:, : rows // 2 * 2, : columns // 2 * 2]
        return np.stack([at[:, y::2, x::2].reshape(-1) for y in (0, 1) for x in (0, 1)])


class Model:
    """A network with its encoder, as `load` reads it and `from_torch` makes it. Its arrays are not to be changed.

    X is always an array with a row a sample: of feature values as the model was trained on, integers or real numbers
    (a row may have any shape, such as an image's, with as many numbers as there are features); with words=True, of
    feature words; with encoded=True, of input bits as `encode` returns them. Or X is a table, such as a DataFrame,
    whose columns are found by their names and hold what the columns of the training set's file did (see README.md).

    Attributes: encoder, sections (lists of arrays), metadata (the texts of the file), calibration (what the file says
    about the counts of the validation set: samples, temperature, leads and correct; None if it says nothing).
    """

    def __init__(self, metadata, encoder, sections):
        self.metadata, self.encoder, self.sections = metadata, encoder, sections
        self.config, self.record = json.loads(metadata["config"]), json.loads(metadata["record"])
        self._classes = tuple(json.loads(metadata["classes"]))
        self._offsets = tuple(json.loads(metadata["offsets"])) if "offsets" in metadata else None
        self._ties = tuple(json.loads(metadata["ties"])) if "ties" in metadata else None
        self.calibration = json.loads(metadata["calibration"]) if "calibration" in metadata else None
        self._table = Table(
            self.features,
            encoder.columns,
            _data(self.config, "label"),
            _data(self.config, "decimal") == "comma",
            _list(_data(self.config, "missing_values")),
        )
        self._beta = _beta(self.record)
        self._layers = None  # made when first asked for

    @property
    def name(self):
        """The configuration's name."""
        return self.config["name"]

    @property
    def classes(self):
        """Names of the classes."""
        return self._classes

    @property
    def offsets(self):
        """What is added to the count of each class, a tuple of whole numbers, or None for nothing."""
        return self._offsets

    @property
    def ties(self):
        """The classes in the order in which they win if counts are equal, a tuple of their indices, or None: the class
        with the lowest index wins."""
        return self._ties

    @property
    def features(self):
        """Names of the features, "feature 0" and so on where they have none."""
        given = self.encoder.names or [""] * self.encoder.features
        return tuple(name or f"feature {f}" for f, name in enumerate(given))

    @property
    def shape(self):
        """Number of input bits, and of those that leave each layer: of a node one, or one for each position."""
        return (self.encoder.inputs, *(s.outputs for s in self.sections for _ in range(s.layers)))

    @property
    def nodes(self):
        """Number of nodes in all layers, of shared ones at all positions."""
        return sum(s.nodes for s in self.sections)

    @property
    def tau(self):
        """What scores are divided by."""
        return float(self.config["model"]["tau"])

    @property
    def temperature(self):
        """What counts are divided by before their softmax gives probabilities: tau, if the model has no calibration."""
        return self.tau if self.calibration is None else float(self.calibration["temperature"])

    @property
    def beta(self):
        """What is added to each count before: 0 but of networks that another program trained with one."""
        return self._beta

    def __getstate__(self):
        return {**self.__dict__, "_layers": None}  # which are made again

    def __repr__(self):
        widths = " -> ".join(str(n) for n in self._short_shape())
        return f"<ialgn.Model {self.name!r}: {widths}; {len(self.classes)} classes>"

    def _short_shape(self):
        shape = self.shape
        return shape if len(shape) <= 8 else (*shape[:4], "...", shape[-1])

    def encode(self, X, words=False):
        """Return the input bits of samples, bool [n, inputs]."""
        return self.encoder.encode(self._table.values(X, words) if is_table(X) else X, words)

    def counts(self, X, words=False, encoded=False):
        """Return how many nodes of the last layer vote for each class, and its offset, int32 [n, classes]."""
        parts = [network.counts(self._frozen(), bits, len(self.classes)) for bits in self._bits(X, words, encoded)]
        counts = np.concatenate(parts)
        return counts if self._offsets is None else counts + np.array(self._offsets, np.int32)

    def predict(self, X, words=False, encoded=False):
        """Return the class with the largest count, of equals the first in the tie order, intp [n]."""
        counts = self.counts(X, words, encoded)
        if self._ties is None:
            return counts.argmax(axis=1)
        order = np.array(self._ties, np.intp)
        return order[counts[:, order].argmax(axis=1)]

    def uncertain(self, X, margin, words=False, encoded=False):
        """Return where the largest count leads the second largest by less than the margin, bool [n]: what a design of
        `ialgn compile --reject MARGIN` calls uncertain."""
        return network.uncertain(self.counts(X, words, encoded), margin)

    def predict_names(self, X, words=False, encoded=False):
        """Return the name of the class with the largest count, as predict chooses it, an array of texts [n]."""
        return np.array(self.classes)[self.predict(X, words, encoded)]

    def predict_proba(self, X, words=False, encoded=False):
        """Return the probability of each class, float64 [n, classes]: the softmax of counts / temperature."""
        counts = self.counts(X, words, encoded).astype(np.float64)
        powers = np.exp((counts - counts.max(axis=1, keepdims=True)) / self.temperature)
        return powers / powers.sum(axis=1, keepdims=True)

    def predict_proba_fixed(self, X, words=False, encoded=False):
        """Return the probability of each class in units of 1/65536, uint16 [n, classes], computed by whole numbers.

        They have the bits that the C and Go code of `ialgn compile --probabilities` computes. A probability of 1
        becomes 65535. They differ from the results of predict_proba by less than 2^-15.
        """
        counts = self.counts(X, words, encoded)
        differences = int((counts.max(axis=1) - counts.min(axis=1)).max(initial=0))
        return softmax.fixed(softmax.powers(self.temperature, differences), counts)

    def score(self, X, y, words=False, encoded=False):
        """Return the share of samples that are of the class in y: its name, or its index if classes are no numbers."""
        y = self.class_indices(y)
        predicted = self.predict(X, words, encoded)
        if len(y) != len(predicted):
            raise ModelError("", f"{len(y)} labels of {len(predicted)} samples", "give as many")
        if len(y) == 0:
            raise ModelError("", "no samples", "give at least one")
        return float((predicted == y).mean())

    def class_indices(self, y):
        """Return the class of each label, intp [n].

        A label is a class's name or, where the name is a number, any that is equal. Where the names are words, an
        integer may be the class's index. Raises ModelError for any other.
        """
        y = np.asarray(y)
        if y.ndim != 1:
            raise ModelError("", f"labels of shape {list(y.shape)}, want a list", "give a label for each sample")
        labels = y.tolist()
        places = {label: category_of(label, self.classes) for label in dict.fromkeys(labels)}
        unknown = [label for label, place in places.items() if place is None]
        words = not any(is_number(name) for name in self.classes)
        if words and unknown and y.dtype.kind in "iu" and all(0 <= u < len(self.classes) for u in unknown):
            return y.astype(np.intp)
        if unknown:
            raise ModelError("", f"the label {unknown[0]!r} is none of the classes", "give names of classes")
        return np.array([places[label] for label in labels], np.intp)

    def scores(self, X, words=False, encoded=False):
        """Return (count + beta) / tau in single precision, float32 [n, classes]."""
        return (self.counts(X, words, encoded).astype(np.float32) + np.float32(self._beta)) / np.float32(self.tau)

    def last_layer(self, X, words=False, encoded=False):
        """Return the bits of the last layer, bool [n, width]: class c counts those of its equal part."""
        parts = [network.last_layer(self._frozen(), bits) for bits in self._bits(X, words, encoded)]
        return np.concatenate(parts)

    def save(self, path):
        """Write the model file. What was loaded from a file of ialgn is written with the same bytes."""
        from .modelfile import save  # which imports this module

        save(path, self)

    def _frozen(self):
        if self._layers is None:
            layers, last = [], []  # and the last layer of each section
            for section in self.sections:
                layers += section.freeze(self.encoder.bits - 1, None if section.base is None else last[section.base])
                last.append(len(layers) - 1)
            self._layers = layers
        return self._layers

    def _bits(self, X, words, encoded):
        """Yield the input bits of some samples after the other."""
        if is_table(X):
            if encoded:
                raise ModelError("", "a table, whose columns have names, of input bits", "give what encode returns")
            X = self._table.values(X, words)
        X = np.asarray(X)
        if encoded and (X.dtype != bool or X.ndim != 2 or X.shape[1] != self.encoder.inputs):
            raise ModelError(
                "",
                f"input bits of type {X.dtype} and shape {X.shape}, want bool [n, {self.encoder.inputs}]",
                "give what encode returns",
            )
        for first in range(0, max(1, len(X) if X.ndim else 0), _SAMPLES):
            part = X[first : first + _SAMPLES] if X.ndim else X
            yield part if encoded else self.encode(part, words)


def _data(config, key):
    """Return a text that the configuration says about the data, empty where it says none."""
    data = config.get("data")
    text = data.get(key) if isinstance(data, dict) else None
    return text if isinstance(text, str) else ""


def _list(text):
    """Return the names in a list of the configuration."""
    try:
        return [name.strip() for row in csv.reader([text], skipinitialspace=True) for name in row]
    except csv.Error:
        raise Fault(f"metadata: config: {text[:60]!a} is no list of names") from None


def _beta(record):
    """Return what a training record says is added to each class's count, 0 where it says nothing."""
    origin = record.get("origin")
    beta = origin.get("beta", 0) if isinstance(origin, dict) else 0
    if isinstance(beta, bool) or not isinstance(beta, (int, float)) or not math.isfinite(beta):
        raise Fault("metadata: record: origin.beta: want a finite number")
    return float(beta)
