"""Networks that were trained with difflogic, torchlogix or torch_dwn, as Models. torch is not imported."""

import re
from collections.abc import Mapping

import numpy as np

from ..errors import ModelError
from . import difflogic, dwn, torchlogix
from .layers import Sum, build
from .tensors import array, integers, is_path, read_json, read_npy

# What modules do by the names of their classes: the framework, or "" for what all have.
_KINDS = {
    "LogicLayer": "difflogic",
    "LUTLayer": "torch_dwn",
    "LogicDense": "torchlogix",
    "LogicConv2d": "torchlogix",
    "OrPooling2d": "torchlogix",
    **{name: "torchlogix" for name in torchlogix.BINARIZATIONS},
    "GroupSum": "",
    "Flatten": "",
    "Identity": "",
    "Dropout": "",
}
_READERS = {"difflogic": difflogic, "torchlogix": torchlogix, "torch_dwn": dwn, "dwn": dwn}


def from_torch(
    module_or_state_dict, thresholds=None, k=None, tau=None, beta=None, wiring=None, classes=None, facts=None, name=None
):
    """Return the Model of a network that was trained with difflogic, torchlogix or torch_dwn.

    module_or_state_dict is a module, whose parts are taken in the order in which they stand, or a state dict. What a
    state dict does not say is given beside it, and wins over what a module says:

    thresholds  of the thermometer, [features, bits], or [bits] for all features: bit j is x > threshold j, in single
                precision; or the name of a .npy file. Without any, features are bits.
    k, tau, beta    of the group sum: scores are (count + beta) / tau of k classes
    wiring      for each layer the rows of indices of its inputs, the first being the highest digit of a table's line:
                [[a, b], ...] of difflogic; or the name of a JSON file
    classes     their names
    facts       more of what a state dict does not say, a dict or the name of a JSON file: in_dim, layers,
                layers_in_order, group_sum, thermometer and input, as docs/guides/frameworks.md has them
    name        of the network

    The model has the network's layers with the wires and tables that its evaluation mode uses, convolutions and OR
    poolings unrolled; its scores are the framework's. Raises ModelError where something is missing or has no form in
    ialgn.
    """
    given = _Given(thresholds, k, tau, beta, wiring, facts)
    if isinstance(module_or_state_dict, Mapping):
        net = _from_state(module_or_state_dict, given)
    elif hasattr(module_or_state_dict, "_modules"):
        net = _from_module(module_or_state_dict, given)
    else:
        raise ModelError(
            "",
            f"a {type(module_or_state_dict).__name__} is neither a module nor a state dict",
            "give what torch.load returns",
        )
    if classes is None:
        classes = given.facts.get("classes")
    return build(net, name or given.facts.get("name"), classes)


def _from_module(module, given):
    modules = _modules_of(module)
    frameworks = {_KINDS[kind] for _, kind, _ in modules} - {""}
    if len(frameworks) != 1:
        raise ModelError(
            "",
            "no layers of difflogic, torchlogix or torch_dwn in the module"
            if not frameworks
            else f"layers of {' and '.join(sorted(frameworks))} in one module",
            "give a network of one of these",
        )
    sums = [m for _, kind, m in modules if kind == "GroupSum"]
    if len(sums) > 1 or (sums and modules[-1][2] is not sums[0]):
        raise ModelError("", "a GroupSum that is not the last module", "give the network up to its sum")
    if sums:
        given.module_sum(sums[0])
    return _READERS[frameworks.pop()].from_modules(modules, given)


def _modules_of(module, name=""):
    """Return name, kind and module of all parts that do something, in order."""
    kind = next((c.__name__ for c in type(module).__mro__ if c.__name__ in _KINDS), None)
    if kind is not None:
        return [(name or kind, kind, module)]
    children = [(child, m) for child, m in module._modules.items() if m is not None]
    if not children:
        raise ModelError(
            "",
            f"module {name or 'itself'}: what a {type(module).__name__} does is not known",
            "give a network of difflogic, torchlogix or torch_dwn alone",
        )
    return [part for child, m in children for part in _modules_of(m, f"{name}.{child}" if name else child)]


def _from_state(state, given):
    if not state or not all(isinstance(key, str) and hasattr(value, "shape") for key, value in state.items()):
        raise ModelError(
            "",
            "the mapping is no state dict, which has tensors by name",
            "give the part of the checkpoint that load_state_dict takes",
        )
    name = given.facts.get("framework") or _framework(state)
    if name not in _READERS:
        raise ModelError(
            "",
            f"the framework {name!r} is unknown" if name else "the keys are of no framework known here",
            "give a state dict of difflogic, torchlogix or torch_dwn",
        )
    return _READERS[name].from_state(dict(state), given)


def _framework(state):
    """Return which framework a state dict's keys are of, None if of none."""
    last = [key.rpartition(".")[2] for key in state]
    if "luts" in last:
        return "torch_dwn"
    if any(key.rpartition(".")[2] == "weight" or ".tree_weights." in f".{key}" for key in state):
        return "torchlogix"
    return "difflogic" if "weights" in last else None


class _Given:
    """What a user says of a network where its module or state dict does not."""

    def __init__(self, thresholds, k, tau, beta, wiring, facts):
        folder = None
        if is_path(facts):
            facts, folder = read_json(facts), str(facts).rpartition("/")[0] or "."
        if not isinstance(facts or {}, dict):
            raise ModelError("", "facts: want a dict", "give keys as docs/guides/frameworks.md has them")
        self.facts = facts or {}
        if isinstance(self.facts.get("input"), dict) and self.facts["input"].get("bits"):
            raise ModelError(
                "",
                "facts: input.bits: features that are whole numbers, divided before the network sees them",
                "leave it out, and give X as the network is given it; or use ialgn import",
            )
        if thresholds is None and isinstance(self.facts.get("thermometer"), dict):
            thresholds = self._thresholds_file(self.facts["thermometer"].get("thresholds_file"), folder)
        self.thresholds = read_npy(thresholds) if is_path(thresholds) else thresholds
        if self.thresholds is not None:
            self.thresholds = array(self.thresholds, "thresholds")
        self.wiring = read_json(wiring) if is_path(wiring) else wiring
        said = self.facts.get("group_sum")
        if not isinstance(said, dict):
            said = next(
                (layer for layer in self.facts.get("layers_in_order") or [] if layer.get("type") == "GroupSum"), {}
            )
        self._sum = {key: said[key] for key in ("k", "tau", "beta", "randperm") if said.get(key) is not None}
        self._own = {key: v for key, v in (("k", k), ("tau", tau), ("beta", beta)) if v is not None}

    def _thresholds_file(self, name, folder):
        if name is None:
            return None
        if folder is None:
            raise ModelError(
                "", f"facts: the thresholds are in {name}", "give thresholds, or facts as the name of a file"
            )
        return f"{folder}/{name}"

    def missing(self, what, why, remedy):
        """Return the error that says what is not known."""
        return ModelError("", f"{what}: {why}", remedy)

    def module_sum(self, m):
        """Take what a GroupSum says."""
        for key in ("k", "tau", "beta", "randperm"):
            if getattr(m, key, None) is not None:
                self._sum[key] = getattr(m, key)

    def sum(self, why, pads=False):
        """Return the group sum."""
        values = {**self._sum, **self._own}
        for key in ("k", "tau"):
            if key not in values:
                raise self.missing(key, why, f"give {key}, or facts")
        order = values.get("randperm")
        order = None if order is None else integers(order, "group sum: randperm", 1)
        return Sum(int(values["k"]), float(values["tau"]), float(values.get("beta", 0)), order, pads)

    def layers_wiring(self, n):
        """Return the wiring of n layers."""
        if len(self.wiring) != n:
            raise ModelError(
                "", f"wiring of {len(self.wiring)} layers, the network has {n}", "give rows for each layer"
            )
        return self.wiring

    def input_shape(self):
        """Return the shape of a sample that facts give, None if they do not."""
        given = self.facts.get("input")
        if isinstance(given, str):  # such as float32 [1, 8, 8]
            found = re.search(r"\[(\d+(?:, *\d+)*)\]", given)
            return tuple(int(d) for d in found.group(1).split(",")) if found else None
        shape = given.get("shape") if isinstance(given, dict) else None
        return None if shape is None else tuple(int(d) for d in shape)

    def begin(self, net, inputs, least):
        """Begin with features in a row, as thermometer or bits. inputs is how many bits the first layer is given, if
        that is known; least returns how many it reads at least."""
        inputs = self.facts.get("in_dim") if inputs is None else inputs
        if self.thresholds is None:
            if inputs is None:
                raise self.missing(
                    "the number of input bits",
                    "a state dict does not say it",
                    'give thresholds, or facts={"in_dim": ...}',
                )
            net.begin_bits((int(inputs),))
            return
        thresholds = np.atleast_2d(self.thresholds)
        bits = thresholds.shape[-1]
        if thresholds.ndim == 2 and len(thresholds) == 1:
            features = (inputs if inputs is not None else least()) // bits
            if inputs is None and least() != features * bits:
                raise self.missing(
                    "the number of features", "a state dict does not say it", "give a row of thresholds for each"
                )
            thresholds = np.broadcast_to(thresholds, (max(1, features), bits))
        if inputs is not None and thresholds.size != inputs:
            raise ModelError(
                "",
                f"thresholds of shape {list(thresholds.shape)}, the first layer is given {inputs} bits",
                "give the thresholds of this network",
            )
        net.begin_thresholds(thresholds, lambda numbers: numbers.reshape(-1))
