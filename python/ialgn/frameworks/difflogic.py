"""Networks of difflogic: LogicLayer and GroupSum.

A layer has 16 weights a gate, of which the largest names the operation, in the numbering that ialgn has, too. Operands
are a plain attribute of the module, so that no state dict has them.
"""

import numpy as np

from ..errors import ModelError
from .layers import Network
from .tensors import finite, integers


def from_modules(modules, given):
    """Return the network of a list of modules, as frameworks.modules_of lists them."""
    layers = [(name, m.weights, m.indices) for name, kind, m in modules if kind == "LogicLayer"]
    first = next((m for _, kind, m in modules if kind == "LogicLayer"), None)
    inputs = int(first.in_dim) if hasattr(first, "in_dim") else None
    if given.wiring is not None:
        layers = [(name, weights, wires) for (name, weights, _), wires in zip(layers, given.layers_wiring(len(layers)))]
    return _network(layers, inputs, given)


def from_state(state, given):
    """Return the network of a state dict."""
    weights = [(key, value) for key, value in state.items() if key.endswith("weights")]
    if given.wiring is None:
        raise given.missing(
            "the wiring",
            "no state dict of difflogic has it",
            "give wiring, a list of two rows of indices for each layer, or the whole module",
        )
    wiring = given.layers_wiring(len(weights))
    return _network(
        [(key, value, wires) for (key, value), wires in zip(weights, wiring)], given.facts.get("in_dim"), given
    )


def _network(layers, inputs, given):
    net = Network("difflogic")
    layers = [_layer(name, weights, wires) for name, weights, wires in layers]
    given.begin(net, inputs, lambda: 1 + int(layers[0][1].max()))
    for name, wires, weights in layers:
        net.dense(wires, weights, True, name)
    net.sum = given.sum("no state dict of difflogic has it")
    return net


def _layer(name, weights, wires):
    """Return name, wires [2, gates] and weights [gates, 16]. A wire of -1 must be one that its gate does not read."""
    weights = finite(weights, f"{name}: weights")
    if len(wires) != 2:
        raise ModelError("", f"{name}: wiring of {len(wires)} rows, want two", "give the rows a and b of each layer")
    wires = np.stack([integers(row, f"{name}: wiring", 1) for row in wires])
    if weights.ndim != 2 or weights.shape[1] != 16 or wires.shape[1] != len(weights):
        raise ModelError(
            "",
            f"{name}: weights of shape {list(weights.shape)} and {wires.shape[1]} pairs of wires",
            "check that weights and wiring are of one network",
        )
    operation = weights.argmax(axis=1)
    reads_a = (operation >> 2 ^ operation) & 3 != 0  # differs between A = 0, the high two bits, and A = 1
    reads_b = (operation >> 1 ^ operation) & 5 != 0
    if (reads_a & (wires[0] < 0)).any() or (reads_b & (wires[1] < 0)).any():
        raise ModelError("", f"{name}: the wiring lacks a wire that a gate reads", "give the network's own wiring")
    return name, np.maximum(wires, 0), weights
