"""Networks of torch_dwn: LUTLayer and GroupSum.

The first wire of a node is the lowest digit of the line that it addresses; the line is 1 where its number is above 0.
A thermometer is no module, and stands in no checkpoint.
"""

import numpy as np

from ..errors import ModelError
from .layers import Network
from .tensors import finite, integers


def from_modules(modules, given):
    """Return the network of a list of modules."""
    layers = []
    for name, kind, m in modules:
        if kind == "LUTLayer":
            learnt = getattr(m.mapping, "weights", None)
            layers.append((name, m.luts, m.mapping, learnt, int(m.input_size), bool(getattr(m, "ste", True))))
    return _network(layers, given)


def from_state(state, given):
    """Return the network of a state dict."""
    facts, layers = given.facts.get("layers") or [], []
    for i, key in enumerate(key for key in state if key.endswith("luts")):
        prefix = key[: -len("luts")]
        fact = facts[i] if i < len(facts) else {}
        mapping, learnt = state.get(prefix + "mapping"), state.get(prefix + "mapping.weights")
        if mapping is None and learnt is None:
            raise given.missing(
                f"the mapping of {prefix or 'the layer'}",
                "it is not in the state dict",
                "give one whose keys are all there",
            )
        layers.append((prefix.rstrip("."), state[key], mapping, learnt, fact.get("inputs"), fact.get("ste", True)))
    return _network(layers, given)


def _network(layers, given):
    net = Network("dwn")
    if not layers[-1][5]:
        raise ModelError(
            "",
            f"{layers[-1][0]}: its outputs are numbers, not bits (ste is False)",
            "train with ste=True, which ialgn has a form for",
        )
    read = []
    for name, luts, mapping, learnt, inputs, _ in layers:
        luts = finite(luts, f"{name}: luts")
        if luts.ndim != 2:
            raise ModelError("", f"{name}: luts of shape {list(luts.shape)}", "check that this is the network's own")
        if learnt is not None:
            learnt = finite(learnt, f"{name}: mapping.weights")
            inputs, mapping = len(learnt), learnt.argmax(axis=0).reshape(len(luts), -1)
        mapping = integers(mapping, f"{name}: mapping", 2)
        if (mapping < 0).any():
            raise ModelError("", f"{name}: mapping has negative indices", "check that this is the network's own")
        read.append((name, luts, np.ascontiguousarray(mapping.T[::-1]), inputs))
    given.begin(net, read[0][3], lambda: 1 + int(read[0][2].max()))
    for name, luts, wires, _ in read:
        net.dense(wires, luts, False, name)
    net.sum = given.sum("no state dict of torch_dwn has it", pads=True)
    return net
