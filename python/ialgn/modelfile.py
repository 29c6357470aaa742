"""Between a container and a model: what a model file must hold, checked strictly."""

import numpy as np

from . import container
from .container import Container, is_count, shown, strict_json
from .encoder import MAX_BITS, MIN_BITS, Encoder, printable
from .errors import Fault
from .model import MAX_CLASSES, MAX_PINS, SOURCES, Grid, Model, Pin, Section

FORMAT, VERSION, NODES_VERSION, GRID_VERSION, OFFSETS_VERSION = "ialgn-model", "1", "2", "3", "5"
_VERSIONS = (VERSION, NODES_VERSION, GRID_VERSION, OFFSETS_VERSION)  # version 4 is of recurrent networks

# Prefixes of what a checkpoint adds to a model, which readers of models pass over.
_EXTRA_TENSORS, _EXTRA_METADATA = "adam.", "checkpoint."

_MAX_WIDTH = (1 << 31) - 1
_MAX_CANDIDATES = 1 << 16

# Of grids: rows and columns, the side of a patch, positions (for each pixel that the network reads, and
# of any network), and nodes in all.
_MAX_IMAGE, _MAX_PATCH, _MAX_SPREAD, _MAX_POSITIONS, _MAX_UNROLLED = 1 << 12, 64, 16, 1 << 12, 3 << 29
_MAX_CALIBRATED = 1 << 40  # validation samples
_MAX_FIELD = 1 << 16  # side of the part of the input's image that a position of a later layer depends on


def load(path):
    """Read a model file and return its Model. Raises ModelError if it is not one that ialgn could have written.

    Of a checkpoint the model alone is read.
    """
    c = container.read(path)
    try:
        return _model(c)
    except Fault as fault:
        raise fault.of(path) from None


def save(path, model):
    """Write a model to a file of that name."""
    container.write(path, Container(model.metadata, _tensors(model)))


# Metadata.


def _model(c):
    _check_version(c.metadata)
    keys = {key: text for key, text in c.metadata.items() if not key.startswith(_EXTRA_METADATA) and key != "crc32c"}
    if "steps" in keys:
        raise Fault("metadata: steps: a recurrent network, which this package does not read")
    known = {"format", "version", "config", "classes", "encoder", "sections", "record"}
    if keys["version"] == OFFSETS_VERSION:
        known.update({"offsets", "ties"} & keys.keys() or {"offsets"})
    for key in ("offsets", "ties"):
        if key in keys and keys["version"] != OFFSETS_VERSION:
            raise Fault(f"metadata: {key} in version {keys['version']}, want version {OFFSETS_VERSION}")
    parts = {}
    for key in sorted(known - {"format", "version"}):
        if key not in keys:
            raise Fault(f"metadata: {key} is missing")
        parts[key] = strict_json(keys[key], f"metadata: {key}")
    if "calibration" in keys:
        known.add("calibration")
        parts["calibration"] = strict_json(keys["calibration"], "metadata: calibration")
    config, classes = _config(parts["config"]), _classes(parts["classes"])
    if not isinstance(parts["record"], dict):
        raise Fault("metadata: record: want an object")
    encoder = _encoder(c, parts["encoder"])
    shells = _shells(parts["sections"], keys["version"], config, encoder)
    _check_whole(config, classes, shells)
    group = config["width"] // len(classes)
    offsets = _offsets(parts["offsets"], len(classes), group) if "offsets" in parts else None
    if "ties" in parts:
        _ties(parts["ties"], len(classes))
    if "calibration" in parts:
        _calibration(parts["calibration"], len(classes), group + max(offsets or [0]))
    _check_tensors(c, encoder, shells)
    sections = [_section(c, i, shell) for i, shell in enumerate(shells)]
    metadata = {key: text for key, text in keys.items() if key in known}
    return Model(metadata, encoder, sections)


def _check_version(metadata):
    form, version = metadata.get("format"), metadata.get("version")
    if form != FORMAT:
        raise Fault(f"metadata: format {shown(form or '')!r}, want {FORMAT!r}; this is no model of ialgn")
    if version not in _VERSIONS:
        raise Fault(
            f"metadata: version {shown(version or '')!r}, this program reads versions {', '.join(_VERSIONS)}",
            "use a newer package",
        )


def _fields(value, where, **kinds):
    """Check that a JSON value is an object of these keys, each of its type, and no others. Keys may be missing."""
    if not isinstance(value, dict):
        raise Fault(f"{where}: want an object")
    for key, v in value.items():
        if key not in kinds:
            raise Fault(f"{where}: unknown key {shown(key)}")
        right = (
            is_count(v)
            if kinds[key] is int
            else isinstance(v, kinds[key]) and not (isinstance(v, bool) and kinds[key] is not bool)
        )
        if not right:
            raise Fault(f"{where}: {key}: {ascii(v)[:40]} has no place there")
    return value


def _texts(value):
    return isinstance(value, list) and all(isinstance(v, str) for v in value)


def _config(config):
    """Check what a network is known by of the configuration; the rest concerns training."""
    keys = config.get("model") if isinstance(config, dict) else None
    if not isinstance(keys, dict):
        raise Fault("metadata: config: want an object with the key model")
    for key in ("width", "depth"):
        if not is_count(keys.get(key)):
            raise Fault(f"metadata: config: model.{key}: want a whole number")
    if keys.get("parametrization") not in ("softmax16", "light"):
        raise Fault("metadata: config: model.parametrization: want softmax16 or light")
    tau = keys.get("tau")
    if isinstance(tau, bool) or not isinstance(tau, (int, float)) or not 0 < tau < float("inf"):
        raise Fault("metadata: config: model.tau: want a number above 0")
    if not isinstance(config.get("name"), str) or not printable(config["name"]):
        raise Fault("metadata: config: name: want a text without control characters")
    return keys


def _classes(classes):
    if not _texts(classes) or not 1 <= len(classes) <= MAX_CLASSES:
        raise Fault(f"metadata: classes: want 1 to {MAX_CLASSES} names")
    for i, name in enumerate(classes):
        if not printable(name):
            raise Fault(f"class {i}: the name {name[:60]!a} holds control characters or is not UTF-8")
    return classes


def _encoder(c, info):
    """Return the encoder, checked."""
    where = "metadata: encoder"
    _fields(info, where, bits=int, bits_in=int, max=int, names=list, columns=list)
    if not _texts(info.get("names", [])):
        raise Fault(f"{where}: names: want texts")
    for i, column in enumerate(info.get("columns", [])):
        _fields(
            column, f"{where}: column {i + 1}", name=str, kind=str, categories=list, missing=bool, fill=(int, float)
        )
        if "kind" not in column or not _texts(column.get("categories", [])):
            raise Fault(f"{where}: column {i + 1}: want a kind, and categories that are texts")
    bits = info.get("bits", 0)
    if not MIN_BITS <= bits <= MAX_BITS:
        raise Fault(f"encoder bits: {bits} is outside {MIN_BITS}..{MAX_BITS}")
    thresholds = c.tensors.get("encoder.thresholds")
    if thresholds is None:
        raise Fault("encoder.thresholds is missing")
    features = thresholds.shape[0] if thresholds.ndim == 2 else 1
    want = {"encoder.thresholds": ((features, bits - 1), "U16")}
    want.update(_quantiser(c, features, bits - 1))
    for name, (shape, dtype) in want.items():
        _check_tensor(c, name, shape, dtype)
    real = {name.split(".")[1]: c.tensors[name] for name in want if name != "encoder.thresholds"}
    e = Encoder(
        bits, info.get("bits_in", 0), info.get("max", 0), thresholds, info.get("names"), info.get("columns"), **real
    )
    e.check()
    return e


def _quantiser(c, features, cuts):
    """Return shape and type of the arrays that make words of real values, none if there are none."""
    if "encoder.cuts" in c.tensors:
        if "encoder.offset" in c.tensors or "encoder.scale" in c.tensors:
            raise Fault("encoder.cuts beside encoder.offset, want one of them")
        return {"encoder.cuts": ((features, cuts), "F64")}
    if "encoder.offset" in c.tensors or "encoder.scale" in c.tensors:
        return {"encoder.offset": ((features,), "F64"), "encoder.scale": ((features,), "F64")}
    return {}


# Sections.


class _Shell:
    """The form of a section: layers, width, arity, and for each pin source, number of candidates and of sources."""

    def __init__(self, layers, width, arity, grid):
        self.layers, self.width, self.arity, self.grid, self.base, self.pins = layers, width, arity, grid, None, []

    @property
    def outputs(self):
        return self.width if self.grid is None else self.width * self.grid.places(pooled=True)


def _shells(infos, version, keys, encoder):
    """Return the forms of all sections, checked."""
    if not isinstance(infos, list) or not infos:
        raise Fault("metadata: sections: want a list of at least one")
    shells = []
    for i, info in enumerate(infos):
        try:
            shells.append(_shell(info, version, keys, encoder, shells))
        except Fault as fault:
            raise Fault(f"metadata: section {i}: {fault.reason}", fault.remedy) from None
    if shells[0].grid is not None and sum(s.width * (s.grid.places() if s.grid else 1) for s in shells) > _MAX_UNROLLED:
        raise Fault(f"metadata: sections: more than {_MAX_UNROLLED} nodes at all positions")
    return shells


def _shell(info, version, keys, encoder, shells):
    before, grid = shells[-1] if shells else None, None
    if version == VERSION:
        _fields(info, "form", layers=int, a=dict, b=dict)
        if set(info) != {"layers", "a", "b"}:
            raise Fault("want layers, a and b")
        width, pins = keys["width"], [info["a"], info["b"]]
    else:
        _fields(info, "form", layers=int, width=int, pins=list, **({} if version == NODES_VERSION else {"grid": dict}))
        if set(info) - {"grid"} != {"layers", "width", "pins"} or not 1 <= len(info["pins"]) <= MAX_PINS:
            raise Fault(f"want layers, width and 1 to {MAX_PINS} pins")
        width, pins = info["width"], info["pins"]
    if not 1 <= width <= _MAX_WIDTH:
        raise Fault(f"width {width}, want 1 to {_MAX_WIDTH}")
    if info["layers"] < 1:
        raise Fault(f"{info['layers']} layers, want at least 1")
    if "grid" in info:
        grid = _grid(info, encoder, shells)
    softmax16 = len(pins) == 2 and keys["parametrization"] == "softmax16"
    shell = _Shell(info["layers"], width, 16 if softmax16 else 1 << len(pins), grid)
    if any(isinstance(pin, dict) and pin.get("source") == "base" for pin in pins):
        shell.base = _base(grid, shells)
    for k, pin in enumerate(pins):
        shell.pins.append(_pin(pin, k, shell, encoder, before, shells))
    return shell


def _base(grid, shells):
    """Return the section whose bits pins with the source base read, None if there is none: of nodes after the
    convolutions the last of these, of kernels what stands before their lowest level, the nearest one back without a
    base."""
    for at in range(len(shells) - 1, -1, -1):
        of = shells[at].grid
        if grid is None:
            if of is not None:
                return at
        elif of is None or grid.base is None:
            return None
        elif of.base is None:
            same = all(getattr(of, key) == getattr(grid.base, key) for key in Grid.KEYS if key != "pool")
            return at - 1 if same and at > 0 else None
    return None


def _sizes(info, where, side=None):
    """Return a grid, of whose keys each is within its range. side is the largest of a patch, of a field another one."""
    keys = {key: v for key, v in _fields(info, where, **dict.fromkeys(Grid.KEYS, int), field=dict, base=dict).items()}
    inner = {key: keys.pop(key) for key in ("field", "base") if key in keys}
    if set(keys) != set(Grid.KEYS) or side and inner:
        raise Fault(f"{where}: want {', '.join(Grid.KEYS)}")
    for key, least, most in [
        ("planes", 1, _MAX_UNROLLED),
        ("rows", 1, _MAX_IMAGE),
        ("columns", 1, _MAX_IMAGE),
        ("side", 1, side or _MAX_PATCH),
        ("stride", 1, side or _MAX_PATCH),
        ("padding", 0, _MAX_FIELD if side == _MAX_FIELD else max(keys["side"] - 1, 0)),
        ("pool", 1, 1 if side else 2),
    ]:
        if not least <= keys[key] <= most:
            raise Fault(f"{where}: {key} {keys[key]}, want {least} to {most}")
    of = {"field": (_MAX_FIELD, "field"), "base": (_MAX_PATCH, "base")}
    return Grid(**keys, **{key: _sizes(v, *reversed(of[key])) for key, v in inner.items()})


def _grid(info, encoder, shells):
    """Return the grid of a section, checked: its image is what stands before, and it has positions."""
    grid = _sizes(info["grid"], "grid")
    field = grid.field
    if field is not None and np.prod((field.planes, field.rows, field.columns), dtype=object) != encoder.features:
        raise Fault(f"field: an image of {(field.planes, field.rows, field.columns)} for {encoder.features} features")
    if grid.side > min(grid.rows, grid.columns) + 2 * grid.padding or not grid.places(pooled=True):
        raise Fault("the grid has no positions")
    if info["layers"] != 1:
        raise Fault(f"{info['layers']} layers of nodes that positions share, want 1")
    image = (grid.planes, grid.rows, grid.columns)
    if not shells:
        if np.prod(image, dtype=object) != encoder.features:
            raise Fault(f"an image of {image} for {encoder.features} features")
    elif shells[-1].grid is None:
        raise Fault("positions share its nodes, but not those of the section before")
    else:
        last = shells[-1].grid
        before = (shells[-1].width, *(n // last.pool for n in last.size()))
        if image != before:
            raise Fault(f"an image of {image}, but {before} leave the section before")
    if grid.base is not None and (_base(grid, shells) is None or grid.size() != grid.base.size()):
        raise Fault("the grid's base is not what the lowest level of the kernels reads")
    first = shells[0].grid if shells else grid
    if grid.places() > max(_MAX_SPREAD * first.rows * first.columns, _MAX_POSITIONS):
        pixels = f"{first.rows} x {first.columns} pixels"
        raise Fault(f"{grid.places()} positions, more than a network that reads {pixels} can have")
    return grid


def _pin(info, k, shell, encoder, before, shells):
    """Return source, number of candidates and number of sources of a pin, checked."""
    _fields(info, f"pin {k}", source=str, k=int)
    source, candidates = info.get("source"), info.get("k", 0)
    if source not in SOURCES:
        raise Fault(f"pin {k}: source {shown(source or '')!r}, want one of {', '.join(SOURCES)}")
    if not 1 <= candidates <= (1 if source == "spine" else _MAX_CANDIDATES):
        raise Fault(f"pin {k}: {candidates} candidates")
    if shell.grid is not None:
        readable = {
            "input": before is None or shell.grid.field is not None,
            "previous": before is not None,
            "base": shell.base is not None,
        }
        if not readable.get(source):
            raise Fault(f"pin {k}: source {source} of nodes that positions share, which have nothing to read by it")
        of = shell.grid.of(source)
        return source, candidates, of.planes * (encoder.bits - 1 if source == "input" else 1) * of.side**2
    if source == "base":
        if shell.base is None:
            raise Fault(f"pin {k}: source {source}, but no convolution stands before")
        return source, candidates, shells[shell.base].outputs
    if source == "input":
        return source, candidates, encoder.inputs
    if before is None:
        raise Fault(f"pin {k}: source {source}, but the first layer has no previous one")
    if source == "spine" and k > 0:
        raise Fault(f"pin {k}: source {source}, which the first pin alone can have")
    if (source == "spine" or shell.layers > 1) and before.outputs != shell.width:
        raise Fault(
            f"pin {k}: source {source}, but the layer before has {before.outputs} nodes, this one {shell.width}"
        )
    return source, candidates, before.outputs


def _check_whole(keys, classes, shells):
    """Check what sections, classes and configuration say of each other."""
    width, depth = shells[-1].outputs, sum(s.layers for s in shells)
    if (keys["width"], keys["depth"]) != (width, depth):
        raise Fault(
            f"the configuration describes {keys['width']} x {keys['depth']} gates, the network has {width} x {depth}"
        )
    if width % len(classes):
        raise Fault(f"{width} chains cannot be split into {len(classes)} classes")


def _offsets(offsets, classes, group):
    """Check the numbers that are added to the class counts. group is the number of chains of a class."""
    if not isinstance(offsets, list) or not all(is_count(n) and n <= group for n in offsets):
        raise Fault(f"metadata: offsets: want a list of whole numbers from 0 to {group}, the chains of a class")
    if len(offsets) != classes or min(offsets) != 0:
        raise Fault(f"metadata: offsets: want {classes} numbers, one for each class, and the smallest is 0")
    return offsets


def _ties(order, classes):
    """Check the order in which classes win ties."""
    ascending = list(range(classes))
    if not isinstance(order, list) or not all(is_count(n) for n in order) or sorted(order) != ascending:
        raise Fault(f"metadata: ties: want a list with each of the numbers 0 to {classes - 1} once")
    if order == ascending:
        raise Fault("metadata: ties: the order is ascending, want none")


def _calibration(info, classes, largest):
    """Check what a file says about the counts of the validation set. largest is the largest possible count."""
    where = "metadata: calibration"
    _fields(info, where, samples=int, temperature=(int, float), leads=list, correct=list)
    if set(info) != {"samples", "temperature", "leads", "correct"} or classes < 2:
        raise Fault(f"{where}: want samples, temperature, leads and correct, and at least two classes")
    if not 0 < info["temperature"] < float("inf"):
        raise Fault(f"{where}: temperature {info['temperature']}, want a number above 0")
    leads, correct = info["leads"], info["correct"]
    if not all(is_count(n) for n in leads + correct) or any(right > n for right, n in zip(correct, leads)):
        raise Fault(f"{where}: leads and correct: want whole numbers, and no correct one is larger than its lead")
    if not 1 <= len(leads) <= largest + 1 or len(leads) != len(correct) or leads[-1] == 0:
        raise Fault(f"{where}: want 1 to {largest + 1} leads, the last one above 0, and as many correct ones")
    if not 1 <= sum(leads) == info["samples"] <= _MAX_CALIBRATED:
        raise Fault(f"{where}: the leads are not those of all samples")


# Tensors.


def _form(i, shell):
    """Return the tensors of a section: shape and type by name."""
    nodes = (shell.width, shell.layers)
    form = {f"section{i}.ops": (nodes + (shell.arity,), "F32")}
    for k, (source, candidates, sources) in enumerate(shell.pins):
        if source == "spine":
            continue
        form[f"section{i}.{'abcdef'[k]}.wires"] = (nodes + (candidates,), "U16" if sources <= 1 << 16 else "U32")
        if candidates > 1:
            form[f"section{i}.{'abcdef'[k]}.logits"] = (nodes + (candidates,), "F32")
    return form


def _check_tensor(c, name, shape, dtype):
    array = c.tensors.get(name)
    if array is None:
        raise Fault(f"{name} is missing")
    if container.NAMES[array.dtype] != dtype:
        raise Fault(f"{name}: type {container.NAMES[array.dtype]}, want {dtype}")
    if array.shape != shape:
        raise Fault(f"{name}: shape {list(array.shape)}, want {list(shape)}")


def _check_tensors(c, encoder, shells):
    """Check that the file holds the model's tensors, and no others but a checkpoint's."""
    known = set(_encoder_tensors(encoder))
    for i, shell in enumerate(shells):
        for name, (shape, dtype) in _form(i, shell).items():
            _check_tensor(c, name, shape, dtype)
            known.add(name)
    for name in c.tensors:
        if name not in known and not name.startswith(_EXTRA_TENSORS):
            raise Fault(f"{shown(name)}: unknown tensor")


def _section(c, i, shell):
    """Return a section with its arrays, whose values are checked."""
    for name, (_, dtype) in _form(i, shell).items():
        if dtype == "F32" and not np.isfinite(c.tensors[name]).all():
            raise Fault(f"{name}: has a number that is not finite")
    pins = []
    for k, (source, candidates, sources) in enumerate(shell.pins):
        if source == "spine":
            pins.append(Pin(source))
            continue
        prefix = f"section{i}.{'abcdef'[k]}."
        wires = c.tensors[prefix + "wires"]
        if wires.max() >= sources:
            raise Fault(f"{prefix}wires: index {wires.max()}, want below {sources}, the number of {source} bits")
        pins.append(Pin(source, wires, c.tensors.get(prefix + "logits") if candidates > 1 else None))
    return Section(c.tensors[f"section{i}.ops"], pins, shell.grid, shell.base)


def _encoder_tensors(encoder):
    """Return the encoder's arrays by name."""
    tensors = {"encoder.thresholds": encoder.thresholds}
    for name in ("offset", "scale", "cuts"):
        if getattr(encoder, name) is not None:
            tensors[f"encoder.{name}"] = getattr(encoder, name)
    return tensors


def _tensors(model):
    """Return all arrays of a model by name, in the order of a file before its alignment."""
    tensors = _encoder_tensors(model.encoder)
    for i, section in enumerate(model.sections):
        tensors[f"section{i}.ops"] = section.ops
        for k, pin in enumerate(section.pins):
            if pin.wires is not None:
                tensors[f"section{i}.{'abcdef'[k]}.wires"] = pin.wires
            if pin.logits is not None:
                tensors[f"section{i}.{'abcdef'[k]}.logits"] = pin.logits
    return tensors
