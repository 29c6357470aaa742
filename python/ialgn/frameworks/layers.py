"""A network of another framework while it is unrolled, and how it becomes a Model.

What the next module is given stands in an array of references, of the framework's own shape: numbers of nodes in the
last layer so far, or of input bits as long as there is no layer; -1 is a constant 0, such as padding.
"""

import numpy as np

from ..container import quoted
from ..encoder import MAX_BITS, Encoder
from ..errors import Fault, ModelError
from ..model import MAX_CLASSES, MAX_PINS, Model, Pin, Section

_PASS = np.array([-1, 1], np.float32)  # the table of a node that passes its one pin on


class Layer:
    """A layer: wires, int64 [pins, width], and logits, [width, 2^pins], of the lines of tables, or of [width, 16]
    operations where raw is true. In the number of a line pin 0 is the highest digit."""

    def __init__(self, wires, logits, raw=False):
        self.wires, self.logits, self.raw = wires, logits, raw

    def tables(self):
        """Return the same layer with logits of lines."""
        if not self.raw:
            return self
        lines = self.logits.argmax(axis=1)[:, None] >> np.array([3, 2, 1, 0]) & 1
        return Layer(self.wires, np.where(lines > 0, 1, -1).astype(np.float32))

    def connected(self):
        """Return the layer with tables that do not depend on constant pins, which read bit 0 instead."""
        if (self.wires >= 0).all():
            return self
        layer = self.tables()
        pins, logits = len(layer.wires), layer.logits.copy()
        lines = np.arange(1 << pins)
        for k, wire in enumerate(layer.wires):
            zero = lines & ~(1 << (pins - 1 - k))
            logits[wire < 0] = logits[wire < 0][:, zero]
        return Layer(np.maximum(layer.wires, 0), logits)

    def taken(self, nodes):
        """Return a layer of some of the nodes in a new order, of which -1 is one that is always 0."""
        logits = self.logits[np.maximum(nodes, 0)].copy()
        logits[nodes < 0] = -1
        if self.raw:
            logits[nodes < 0, 0] = 1  # operation 0
        return Layer(self.wires[:, np.maximum(nodes, 0)], logits, self.raw)

    def stored(self):
        """Return the logits in single precision, such that they select the same."""
        logits = self.logits.astype(np.float32)
        if self.raw:
            best = self.logits.argmax(axis=1)
            wrong = logits.argmax(axis=1) != best
            logits[wrong] = 0
            logits[wrong, best[wrong]] = 1
            return logits
        wrong = (logits > 0) != (self.logits > 0)
        logits[wrong] = np.where(self.logits[wrong] > 0, 1, -1)
        return logits


class Network:
    """A network that is being unrolled.

    framework is its name, refs what comes next is given, layers those so far, thresholds float32 [features, bits] or
    None where features are bits.
    """

    def __init__(self, framework):
        self.framework = framework
        self.refs, self.layers, self.thresholds = None, [], None
        self.sum = None

    @property
    def before(self):
        """Number of nodes of the last layer, or of input bits."""
        return self.layers[-1].wires.shape[1] if self.layers else self.inputs

    @property
    def inputs(self):
        return self._inputs

    def begin_bits(self, shape):
        """Begin with features that are bits, of that shape."""
        self._inputs = int(np.prod(shape))
        self.refs = np.arange(self._inputs).reshape(shape)

    def begin_thresholds(self, thresholds, place):
        """Begin with real features and their thresholds [features, bits]. place is given the numbers of all bits,
        [features, bits], and returns them in the shape of what comes next."""
        thresholds = single_precision(thresholds)
        if thresholds.shape[1] >= MAX_BITS:
            raise ModelError(
                "",
                f"{thresholds.shape[1]} thresholds of a feature, want at most {MAX_BITS - 1}",
                "train with fewer bits",
            )
        order = np.argsort(thresholds, axis=1, kind="stable")
        rank = np.argsort(order, axis=1, kind="stable")
        self.thresholds = np.take_along_axis(thresholds, order, axis=1)
        self._inputs = thresholds.size
        features, bits = thresholds.shape
        self.refs = place(np.arange(features)[:, None] * bits + rank)

    def add(self, layer, shape=None):
        """Add a layer, whose wires are references into the refs' values, and leave its nodes in that shape."""
        self.layers.append(layer.connected())
        width = layer.wires.shape[1]
        self.refs = np.arange(width).reshape(shape or (width,))

    def dense(self, indices, logits, raw, what):
        """Add a layer of nodes that read the bits of indices [pins, width]."""
        if self.refs.ndim != 1:
            raise ModelError("", f"{what}: is given bits of shape {list(self.refs.shape)}", "put a Flatten before it")
        pins, width = indices.shape
        if not 1 <= pins <= MAX_PINS or (raw and pins != 2):
            raise ModelError(
                "",
                f"{what}: nodes with {pins} inputs, want 1 to {MAX_PINS}" + (", and 2 of raw" * raw),
                "train nodes that ialgn has",
            )
        if logits.shape != (width, 16 if raw else 1 << pins):
            raise ModelError(
                "",
                f"{what}: weights of shape {list(logits.shape)} for {width} nodes with {pins} inputs",
                "check that weights and wiring are of one network",
            )
        if indices.size and indices.max() >= len(self.refs):
            raise ModelError(
                "",
                f"{what}: reads bit {indices.max()} of {len(self.refs)}",
                "check that the wiring is the network's own, and the number of input bits",
            )
        self.add(Layer(np.where(indices < 0, -1, self.refs[np.maximum(indices, 0)]), logits, raw))


def single_precision(value):
    """Return thresholds in single precision, which is what the frameworks compare in."""
    with np.errstate(over="ignore"):
        value = value.astype(np.float32)
    if value.ndim != 2 or not value.size or np.isnan(value).any():
        raise ModelError(
            "",
            f"thresholds of shape {list(value.shape)}, want numbers [features, bits]",
            "give what the thermometer was fitted to",
        )
    return value


def cuts(thresholds):
    """Return float64 cuts with x > cut for a double x exactly where x, rounded to single precision, is > threshold.

    A double above a threshold t rounds to t or to the next float above, u. The middle of the two goes to the one whose
    last bit is 0: where that is t, x must exceed the middle; where it is u, the middle itself is above, too.
    """
    t = np.ascontiguousarray(thresholds, np.float32)
    beyond = 2.0**128  # what would be next to the largest float, and is rounded to infinity
    with np.errstate(over="ignore", under="ignore"):
        up = np.minimum(np.nextafter(t, np.float32(np.inf), dtype=np.float32).astype(np.float64), beyond)
    middle = (np.maximum(t.astype(np.float64), -beyond) + up) / 2
    odd = t.view(np.uint32) & 1 > 0
    cut = np.where(odd, np.nextafter(middle, -np.inf), middle)
    return np.where(t == np.inf, np.finfo(np.float64).max, cut)


class Sum:
    """How the last layer's bits become scores: k classes, tau, beta, an optional permutation (output i of it is bit
    permutation[i]), and whether groups that do not come out even are padded with zeros at the end."""

    def __init__(self, k, tau, beta=0.0, permutation=None, pads=False):
        self.k, self.tau, self.beta, self.permutation, self.pads = k, tau, beta, permutation, pads


def build(net, name=None, classes=None):
    """Return the Model of an unrolled network."""
    total = net.sum
    refs = _grouped(net, total)
    classes = [str(c) for c in (range(total.k) if classes is None else classes)]
    if len(classes) != total.k:
        raise ModelError("", f"{len(classes)} names of {total.k} classes", "give a name for each class")
    layers = net.layers
    if not layers:  # thermometer bits that are counted as they are
        layers, refs = [Layer(refs[None].clip(0), np.where(refs[:, None] < 0, -1, _PASS))], np.arange(len(refs))
    layers = [*layers[:-1], layers[-1].taken(refs)] if not np.array_equal(refs, np.arange(net.before)) else layers
    if not all(layer.raw for layer in layers):
        layers = [layer.tables() for layer in layers]
    encoder = _encoder(net)
    model = Model(_metadata(net, layers, encoder, classes, name or net.framework), encoder, _sections(layers, encoder))
    try:
        encoder.check_widths()
        encoder.check()
    except Fault as fault:
        raise fault.of("") from None
    return model


def _grouped(net, total):
    """Return the last layer's bits in the order of the classes, all groups of one size, -1 where a zero is added."""
    refs = net.refs.reshape(-1)
    if not 1 <= total.k <= MAX_CLASSES:
        raise ModelError("", f"{total.k} classes, want 1 to {MAX_CLASSES}", "give k, the number of classes")
    if not 0 < total.tau < float("inf"):
        raise ModelError("", f"tau is {total.tau}, want a number above 0", "give the tau of the group sum")
    if total.permutation is not None:
        order = total.permutation
        if sorted(order.tolist()) != list(range(len(refs))):
            raise ModelError("", f"group sum: randperm is no permutation of {len(refs)} bits", "give the network's own")
        refs = refs[order]
    rest = -len(refs) % total.k
    if rest and not total.pads:
        raise ModelError(
            "", f"group sum: {len(refs)} bits cannot be split into {total.k} classes", "give k, the number of classes"
        )
    return np.concatenate([refs, np.full(rest, -1)])


def _encoder(net):
    if net.thresholds is None:
        return Encoder(2, 1, 1, np.zeros((net.inputs, 1), np.uint16))
    features, n = net.thresholds.shape
    words = np.ascontiguousarray(np.broadcast_to(np.arange(n, dtype=np.uint16), (features, n)))
    return Encoder(n + 1, n.bit_length(), n, words, cuts=cuts(net.thresholds))


def _sections(layers, encoder):
    sections, before = [], encoder.inputs
    for i, layer in enumerate(layers):
        dtype = np.uint16 if before <= 1 << 16 else np.uint32
        pins = [Pin("previous" if i else "input", w.astype(dtype).reshape(-1, 1, 1)) for w in layer.wires]
        logits = layer.stored()
        sections.append(Section(logits.reshape(len(logits), 1, -1), pins))
        before = len(logits)
    return sections


# Metadata, in the form that Go's encoding/json gives it, so that ialgn would write the same bytes.


def _json(value):
    if isinstance(value, dict):
        return "{" + ",".join(f"{quoted(k)}:{_json(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(_json(v) for v in value) + "]"
    if isinstance(value, str):
        return quoted(value)
    if value is None:
        return "null"
    return number(value)


def number(value):
    """Return a number as Go's encoding/json writes it: plain from 1e-6 to below 1e21, else with an exponent."""
    if isinstance(value, int):
        return str(value)
    if value == 0 or 1e-6 <= abs(value) < 1e21:
        text = np.format_float_positional(value, trim="-")
        return "-0" if value == 0 and np.signbit(value) else text
    mantissa, exponent = np.format_float_scientific(value, trim="-").split("e")
    return f"{mantissa}e{exponent[0]}{exponent[1:].lstrip('0').rjust(1 if exponent[0] == '-' else 2, '0')}"


def _metadata(net, layers, encoder, classes, name):
    widths = [layer.wires.shape[1] for layer in layers]
    pins = [len(layer.wires) for layer in layers]
    most, raw = max(pins), layers[0].raw
    network = {"topology": "layered", "width": widths[-1], "depth": len(widths)}
    if most != 2:
        network["inputs"] = most
    network.update(
        widths=",".join(map(str, widths)),
        anchors=1,
        hidden=1,
        parametrization="softmax16" if raw else "light",
        init="skip",
        skip_logit=5 if most == 2 else 2,
        init_noise=0 if most == 2 else 1,
        first_pin="relaxed",
        wiring="random",
        tau=float(net.sum.tau),
    )
    config = {
        "name": name,
        "data": {"set": "memory"},
        "encoder": {"kind": "thermometer", "bits": encoder.bits, "thresholds": "uniform", "bits_in": encoder.bits_in},
        "model": network,
        "train": {
            "estimator": "ste",
            "optimizer": {"kind": "adam", "lr": 0.01, "beta1": 0.9, "beta2": 0.999, "eps": 1e-8},
            "epochs": 200,
            "batch": 100,
            "seed": 1,
            "schedule": {"kind": "constant"},
            "validation": {"share": 0, "patience": 0},
        },
    }
    origin = {"format": net.framework, "files": None}
    if net.sum.beta:
        origin["beta"] = float(net.sum.beta)
    record = {"data_set": net.framework, "train_sha256": "", "test_sha256": "", "epochs": None, "origin": origin}
    plain = all(n == 2 for n in pins) and len(set(widths)) == 1
    sections = []
    for i, (n, width) in enumerate(zip(pins, widths)):
        pin = {"source": "previous" if i else "input", "k": 1}
        sections.append(
            {"layers": 1, "a": pin, "b": pin} if plain else {"layers": 1, "width": width, "pins": [pin] * n}
        )
    return {
        "format": "ialgn-model",
        "version": "1" if plain else "2",
        "config": _json(config),
        "classes": _json(classes),
        "encoder": _json({"bits": encoder.bits, "bits_in": encoder.bits_in, "max": encoder.max}),
        "sections": _json(sections),
        "record": _json(record),
    }
