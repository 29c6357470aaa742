"""Networks of torchlogix: binarizations, LogicDense, LogicConv2d, OrPooling2d, GroupSum.

Parameters of a node are 16 logits of operations (raw), those of a table's lines (light), or a sum over the Walsh basis,
which is 1 where it is below 0 (warp). A convolution is a tree of nodes at each place, so it becomes a layer for each
level of the tree, and an OR over a window one layer or some.
"""

import numpy as np

from ..errors import ModelError
from ..model import MAX_PINS
from .layers import Layer, Network
from .tensors import array, finite, integers

BINARIZATIONS = ("FixedBinarization", "SoftBinarization", "LearnableBinarization", "DummyBinarization", "Binarization")


# Reading. A stage is (kind, name, fields), the fields being a dict.


def from_modules(modules, given):
    """Return the network of a list of modules."""
    stages = []
    for name, kind, m in modules:
        if kind in BINARIZATIONS:
            fields = {
                "thresholds": getattr(m, "thresholds", None),
                "raw_diffs": getattr(m, "raw_diffs", None),
                "feature_dim": getattr(m, "feature_dim", -2),
            }
        elif kind == "LogicDense":
            fields = {
                "weight": m.weight,
                "indices": m.connections.indices,
                "form": _form(name, m),
                "choice": getattr(m.connections, "weights", None),
                "in": int(m.in_dim),
            }
        elif kind == "LogicConv2d":
            fields = {
                "weights": list(m.tree_weights),
                "indices": m.connections._indices_L0,
                "form": _form(name, m),
                "in_dim": tuple(m.in_dim),
                "channels": m.channels,
                "padding": m.padding,
                "positions": tuple(m.kernel_positions),
            }
        elif kind == "OrPooling2d":
            fields = {"kernel": m.kernel_size, "stride": m.stride, "padding": m.padding}
        else:
            fields = {}
        stages.append((kind, name, fields))
    return _network(stages, given)


def _form(name, m):
    kind = type(m.parametrization).__name__
    for form in ("raw", "light", "warp"):
        if kind.lower().startswith(form):
            return form
    raise ModelError("", f"{name}: its parametrization {kind} is unknown", "use raw, light or warp")


def from_state(state, given):
    """Return the network of a state dict, of which facts have what it does not say."""
    facts = given.facts.get("layers_in_order")
    prefix = _prefix(state)
    plain = {key[len(prefix) :]: value for key, value in state.items()}
    if facts is None:
        facts, state = _plain_stages(plain, given), plain
    else:
        state = {**plain, **state}  # the names in facts may have the prefix or not
    return _network([_stage(state, fact, given) for fact in facts], given)


def _prefix(state):
    """Return what all keys begin with that a wrapper has put there."""
    for prefix in ("_orig_mod.", "module.", "model."):
        if all(key.startswith(prefix) for key in state):
            return prefix
    return ""


def _plain_stages(state, given):
    """Return the layers of a state dict without facts, which are known if they are all dense and raw."""
    stages = []
    for key in state:
        name, _, last = key.rpartition(".")
        if last == "thresholds":
            kind = "LearnableBinarization" if f"{name}.raw_diffs" in state else "FixedBinarization"
            stages.append({"name": name, "type": kind, "feature_dim": -2})
            stages.append({"name": name, "type": "Flatten"})
        elif last == "weight":
            width, pins = _shape(state[key])[-1], _rank(state.get(f"{name}.connections.indices"))
            form = "raw" if (pins, width) == (2, 16) else given.facts.get("parametrization")
            if form is None and pins is not None:
                raise given.missing(
                    f"the parametrization of layer {name}",
                    "a state dict does not tell light from warp",
                    'give facts={"parametrization": ...}, or the whole module',
                )
            stages.append({"name": name, "type": "LogicDense", "parametrization": form or "raw"})
        elif ".tree_weights." in f".{key}":
            raise given.missing(
                f"the convolution {name}",
                "a state dict has neither its padding nor its stride",
                'give facts={"layers_in_order": [...]}, or the whole module',
            )
    return stages


def _shape(value):
    return tuple(value.shape)


def _rank(indices):
    return None if indices is None else _shape(indices)[-2]


def _stage(state, fact, given):
    """Return the stage of a module that facts describe."""
    name, kind = fact.get("name", ""), fact.get("type")
    get = lambda key: state.get(f"{name}.{key}" if name else key)  # noqa: E731
    if kind in BINARIZATIONS:
        fields = {
            "thresholds": get("thresholds"),
            "raw_diffs": get("raw_diffs"),
            "feature_dim": fact.get("feature_dim"),
        }
        if fields["thresholds"] is None and kind != "DummyBinarization" and given.thresholds is None:
            raise given.missing(f"the thresholds of {name}", "they are not in the state dict", "give thresholds")
    elif kind == "LogicDense":
        fields = {
            "weight": get("weight"),
            "indices": get("connections.indices"),
            "choice": get("connections.weights"),
            "form": fact.get("parametrization") or given.facts.get("parametrization"),
            "in": fact.get("in"),
        }
        if fields["weight"] is None:
            raise given.missing(f"{name}.weight", "it is not in the state dict", "give facts of this network")
        if fields["form"] not in ("raw", "light", "warp"):
            raise given.missing(
                f"the parametrization of layer {name}",
                "a state dict does not say it",
                "give raw, light or warp as parametrization in the facts",
            )
    elif kind == "LogicConv2d":
        fields = _conv_fields(name, fact, get, given)
    elif kind == "OrPooling2d":
        fields = {key: fact.get(key) for key in ("kernel", "stride", "padding")}
        fields["stride"] = fields["kernel"] if fields["stride"] is None else fields["stride"]
        if None in fields.values():
            raise given.missing(
                f"kernel, stride or padding of {name}", "a state dict does not say it", "give it in the facts"
            )
    elif kind in ("Flatten", "GroupSum"):
        fields = {}
    else:
        raise ModelError(
            "", f"facts: type {kind!r} of layer {name!r} is unknown", "use the names of torchlogix's classes"
        )
    return kind, name, fields


def _conv_fields(name, fact, get, given):
    weights = []
    while get(f"tree_weights.{len(weights)}") is not None:
        weights.append(get(f"tree_weights.{len(weights)}"))
    fields = {
        "weights": weights,
        "indices": get("connections._indices_L0"),
        "form": fact.get("parametrization") or given.facts.get("parametrization"),
    }
    for key in ("in_dim", "channels", "padding", "receptive_field", "stride"):
        if fact.get(key) is None:
            raise given.missing(f"{key} of {name}", "a state dict does not say it", "give it in the facts")
        fields[key] = fact[key]
    if not weights or fields["indices"] is None:
        raise given.missing(
            f"weights or indices of {name}", "they are not in the state dict", "give the network's own facts"
        )
    if fields["form"] not in ("raw", "light", "warp"):
        raise given.missing(f"the parametrization of {name}", "a state dict does not say it", "give it in the facts")
    fields["positions"] = tuple(
        (d + 2 * fields["padding"] - f) // fields["stride"] + 1
        for d, f in zip(fields["in_dim"], fields["receptive_field"])
    )
    return fields


# Unrolling.


def _network(stages, given):
    net = Network("torchlogix")
    stages = [s for s in stages if s[0] != "DummyBinarization"]
    dense = [s for s in stages if s[0] == "LogicDense"]
    for (_, name, fields), wires in zip(dense, given.layers_wiring(len(dense)) if given.wiring is not None else []):
        fields["indices"] = wires
        fields["choice"] = None
    _begin(net, stages, given)
    for kind, name, fields in stages:
        if kind in BINARIZATIONS and net.layers:
            raise ModelError("", f"{name}: a binarization behind a layer", "ialgn has thermometers of features alone")
        if kind == "Flatten":
            net.refs = net.refs.reshape(-1)
        elif kind == "LogicDense":
            _dense(net, name, fields, given)
        elif kind == "LogicConv2d":
            _conv(net, name, fields)
        elif kind == "OrPooling2d":
            _pool(net, name, fields)
    net.sum = given.sum("no state dict of torchlogix has it")
    return net


def _begin(net, stages, given):
    """Begin with the features, whose shape only the first layers know."""
    first = [s for s in stages if s[0] in BINARIZATIONS]
    if len(first) > 1:
        raise ModelError("", "two binarizations", "ialgn has one thermometer of the features")
    fields = first[0][2] if first else {}
    thresholds = given.thresholds if given.thresholds is not None else _thresholds(fields)
    inner = next((s for s in stages if s[0] in ("LogicDense", "LogicConv2d")), None)
    if inner is None:
        raise ModelError("", "no layer of gates", "give a network of LogicDense or LogicConv2d")
    conv = inner[0] == "LogicConv2d"
    shape = given.input_shape()
    if thresholds is None:
        if conv:
            shape = shape or (inner[2]["channels"], *inner[2]["in_dim"])
            net.begin_bits(shape)
        else:
            given.begin(net, inner[2].get("in"), lambda: 1 + int(array(inner[2]["indices"], inner[1]).max()))
        return
    dim = fields.get("feature_dim", -2)
    dim = -2 if dim is None else dim
    if conv:
        shape = shape or _image_shape(thresholds, inner[2], dim)
    elif shape is None:
        inputs = inner[2].get("in")
        shape = _flat_shape(thresholds, dim, inputs, given)
    _place(net, thresholds, shape, dim, given)


def _thresholds(fields):
    """Return thresholds as they are in evaluation, None if there are none. Those that are learnt are sums of steps."""
    if fields.get("raw_diffs") is not None:
        return np.cumsum(array(fields["raw_diffs"], "raw_diffs").astype(np.float64), axis=-1).astype(np.float32)
    value = fields.get("thresholds")
    return None if value is None else array(value, "thresholds")


def _image_shape(thresholds, conv, dim):
    """Return the shape of an image before a convolution, given what it has as channels, rows and columns."""
    bits, (rows, columns) = thresholds.shape[-1], conv["in_dim"]
    shape = [conv["channels"], rows, columns]
    axis = dim % 5 - 1
    if axis not in (0, 1, 2) or shape[axis] % bits:
        raise ModelError(
            "",
            f"a convolution of shape {shape} does not fit {bits} thresholds along dimension {dim}",
            'give facts={"input": {"shape": [channels, rows, columns]}}',
        )
    shape[axis] //= bits
    return tuple(shape)


def _flat_shape(thresholds, dim, inputs, given):
    """Return the shape of a sample before dense layers that read so many bits."""
    bits = thresholds.shape[-1]
    own = len(thresholds) if thresholds.ndim == 2 else None
    if inputs is None and own is not None:
        return (own,)
    if inputs is not None and inputs % bits == 0:
        features = inputs // bits
        if own == features or (own is None and dim in (-2, 1)):
            return (features,)
        if own is not None and features % own == 0 and dim in (-2, 1):
            return (own, 1, features // own)  # rows and columns matter along these dimensions together alone
    raise given.missing(
        "the shape of a sample",
        "the module does not say it",
        'give facts={"input": {"shape": [channels, rows, columns]}}',
    )


def _place(net, thresholds, shape, dim, given):
    """Begin with features of a shape, the bits of each standing side by side along a dimension of that and the bits."""
    features, bits = int(np.prod(shape)), thresholds.shape[-1]
    if thresholds.ndim == 2 and len(shape) == 3:
        thresholds = (
            np.broadcast_to(thresholds[:, None, None, :], (*shape, bits)) if len(thresholds) == shape[0] else None
        )
    elif thresholds.ndim in (1, 2) and (thresholds.ndim == 1 or len(thresholds) == features):
        thresholds = np.broadcast_to(thresholds, (*shape, bits))
    else:
        thresholds = None
    if thresholds is None:
        raise ModelError(
            "",
            f"thresholds do not fit samples of shape {list(shape)}",
            'give facts={"input": {"shape": ...}} of the network',
        )
    axis = dim % (len(shape) + 2) - 1  # without the samples' own
    if not 0 <= axis < len(shape):
        raise ModelError("", f"feature_dim {dim} of samples of shape {list(shape)}", "give the network's own")

    def place(numbers):
        numbers = np.moveaxis(numbers.reshape(*shape, bits), -1, axis + 1)
        return numbers.reshape(*shape[:axis], -1, *shape[axis + 1 :])

    net.begin_thresholds(np.ascontiguousarray(thresholds).reshape(features, bits), place)


def _logits(weight, form, what):
    """Return logits of nodes, [..., entries], and whether they are of operations."""
    weight = finite(weight, what)
    if form == "raw":
        if weight.shape[-1] != 16:
            raise ModelError(
                "", f"{what}: {weight.shape[-1]} weights of a raw gate, want 16", "give its parametrization"
            )
        return weight, True
    if form == "light":
        return weight, False
    lines = np.arange(weight.shape[-1])
    ones = lines[:, None] & lines
    sign = np.ones(ones.shape)
    while ones.any():
        sign, ones = np.where(ones & 1, -sign, sign), ones >> 1
    return -(weight.astype(np.float64) @ sign), False


def _dense(net, name, fields, given):
    if fields["indices"] is None:
        raise given.missing(
            f"the wiring of {name}",
            "an earlier torchlogix did not save it",
            "give wiring, an array of indices [inputs, nodes] for each layer",
        )
    indices = fields["indices"]
    if fields["choice"] is not None:
        indices, choice = array(indices, f"{name}: indices"), finite(fields["choice"], f"{name}: connections.weights")
        if indices.ndim != 3 or indices.shape != choice.shape:
            raise ModelError(
                "",
                f"{name}: candidates of shape {list(indices.shape)}, their weights {list(choice.shape)}",
                "check that they are of one network",
            )
        indices = np.take_along_axis(indices, choice.argmax(axis=0)[None], axis=0)[0]
    indices = integers(indices, f"{name}: indices", 2)
    if (indices < 0).any():
        raise ModelError("", f"{name}: negative indices", "check that they are the network's own")
    logits, raw = _logits(fields["weight"], fields["form"], f"{name}: weight")
    net.dense(indices, logits, raw, name)


def _conv(net, name, fields):
    padding, channels, in_dim = int(fields["padding"]), int(fields["channels"]), tuple(int(d) for d in fields["in_dim"])
    if net.refs.shape != (channels, *in_dim):
        raise ModelError(
            "",
            f"{name}: is given bits of shape {list(net.refs.shape)}, want {[channels, *in_dim]}",
            "give the network's own facts",
        )
    refs = np.pad(net.refs, ((0, 0), (padding, padding), (padding, padding)), constant_values=-1)
    indices = integers(fields["indices"], f"{name}: indices", 5)
    pins, kernels, places, leaves, three = indices.shape
    row, column, channel = np.moveaxis(indices, -1, 0) if three == 3 else (indices[..., 0],) * 3
    limits = (refs.shape[1], refs.shape[2], refs.shape[0])
    if three != 3 or indices.min() < 0 or any(i.max() >= n for i, n in zip((row, column, channel), limits)):
        raise ModelError("", f"{name}: indices outside of the padded input", "give the network's own facts")
    if places != np.prod(fields["positions"]) or not 1 <= pins <= MAX_PINS:
        raise ModelError(
            "",
            f"{name}: {places} places, and {list(fields['positions'])} by its facts; {pins} inputs a node",
            "give the network's own facts",
        )
    wires = refs[channel, row, column]  # [pins, kernels, places, leaves]
    nodes = leaves
    for level, weight in enumerate(fields["weights"]):
        logits, raw = _logits(weight, fields["form"], f"{name}: tree_weights.{level}")
        if logits.shape[:2] != (nodes, kernels) or (not raw and logits.shape[2] != 1 << pins) or (raw and pins != 2):
            raise ModelError(
                "",
                f"{name}: tree_weights.{level} of shape {list(logits.shape)} for {nodes} nodes of {kernels} "
                f"kernels, {pins} inputs each",
                "give the network's own facts",
            )
        logits = np.broadcast_to(logits.transpose(1, 0, 2)[:, None], (kernels, places, nodes, logits.shape[2]))
        net.add(Layer(wires.reshape(pins, -1), logits.reshape(-1, logits.shape[3]), raw))
        if nodes % pins and level + 1 < len(fields["weights"]):
            raise ModelError(
                "", f"{name}: {nodes} nodes at level {level}, which {pins} do not divide", "give its own facts"
            )
        wires = np.moveaxis(net.refs.reshape(kernels, places, -1, pins), -1, 0) if nodes > 1 else None
        nodes //= pins
    if net.refs.size != kernels * places:
        raise ModelError(
            "", f"{name}: {net.refs.size} roots of {kernels} kernels at {places} places", "give its own facts"
        )
    net.refs = net.refs.reshape(kernels, *fields["positions"])


def _pool(net, name, fields):
    kernel, stride, padding = (_side(fields[key], name) for key in ("kernel", "stride", "padding"))
    if net.refs.ndim != 3 or kernel < 1 or stride < 1 or padding < 0:
        raise ModelError(
            "",
            f"{name}: kernel {kernel}, stride {stride}, padding {padding} of bits of shape " f"{list(net.refs.shape)}",
            "give the network's own facts",
        )
    refs = np.pad(net.refs, ((0, 0), (padding, padding), (padding, padding)), constant_values=-1)
    rows, columns = ((n - kernel) // stride + 1 for n in refs.shape[1:])
    if rows < 1 or columns < 1:
        raise ModelError("", f"{name}: its window is larger than its input", "give the network's own facts")
    span = lambda i, n: slice(i, i + stride * (n - 1) + 1, stride)  # noqa: E731
    window = np.stack([refs[:, span(i, rows), span(j, columns)] for i in range(kernel) for j in range(kernel)])
    shape = window.shape[1:]
    window = window.reshape(len(window), -1)
    while True:  # each round is a layer of ORs
        groups = -(-len(window) // MAX_PINS)
        pins = -(-len(window) // groups)
        window = np.concatenate([window, np.full((groups * pins - len(window), window.shape[1]), -1)])
        wires = window.reshape(groups, pins, -1).transpose(1, 0, 2).reshape(pins, -1)
        net.add(
            Layer(wires, np.broadcast_to(np.where(np.arange(1 << pins) > 0, 1.0, -1.0), (wires.shape[1], 1 << pins)))
        )
        window = net.refs.reshape(groups, -1)
        if groups == 1:
            break
    net.refs = net.refs.reshape(shape)


def _side(value, name):
    """Return a size that is the same along both sides."""
    sides = set(value) if isinstance(value, (tuple, list)) else {value}
    if len(sides) != 1:
        raise ModelError("", f"{name}: a window of sides {value}", "use a square one")
    return int(sides.pop())
