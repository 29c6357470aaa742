"""Checks models by onnx.checker and evaluates them with numpy, operator by operator as their documents say.

usage: evaluate.py MODEL... < samples (a JSON list of rows for each model) > results (the same)
"""
import json
import sys

import numpy as np
import onnx
from onnx import numpy_helper

TYPES = {onnx.TensorProto.FLOAT: np.float32, onnx.TensorProto.UINT8: np.uint8}


def lookup_table(x, indices, table, input_bits=1, out_bits=0):
    """Of each neuron: slot k of the address holds input_bits bits, the first slot the lowest."""
    neurons, slots = indices.shape
    assert table.shape == (neurons, 2 ** (slots * input_bits))
    assert x.dtype in (np.uint8, np.bool_) and x.max() < 2 ** input_bits
    assert out_bits == 0 or table.max() < 2 ** out_bits
    y = np.zeros(x.shape[:-1] + (neurons,), table.dtype)
    for neuron in range(neurons):
        address = np.zeros(x.shape[:-1], np.int64)
        for slot in range(slots):
            address += x[..., indices[neuron, slot]].astype(np.int64) << (input_bits * slot)
        y[..., neuron] = table[neuron][address]
    return y


def evaluate(model, x):
    values = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
    values[model.graph.input[0].name] = x
    for node in model.graph.node:
        a = {p.name: onnx.helper.get_attribute_value(p) for p in node.attribute}
        operands = [values[name] for name in node.input]
        if node.domain == 'qonnx.custom_op.lnn':
            assert node.op_type == 'LookupTable'
            y = lookup_table(*operands, **a)
        else:
            assert node.domain == ''
            if len({o.dtype for o in operands}) > 1:
                assert node.op_type in ('Reshape', 'Unsqueeze', 'ReduceSum'), node
            y = {
                'Concat': lambda *parts: np.concatenate(parts, a['axis']),
                'Unsqueeze': lambda v, axes: np.expand_dims(v, tuple(axes)),
                'Greater': lambda v, t: v > t,
                'Reshape': lambda v, shape: v.reshape(shape),
                'Cast': lambda v: v.astype(TYPES[a['to']]),
                'Mul': lambda v, w: v * w,
                'ReduceSum': lambda v, axes: v.sum(tuple(axes), v.dtype, keepdims=bool(a['keepdims'])),
            }[node.op_type](*operands)
        values[node.output[0]] = y
    out = model.graph.output[0]
    y = values[out.name]
    assert list(y.shape[1:]) == [d.dim_value for d in out.type.tensor_type.shape.dim][1:]
    assert y.dtype == TYPES[out.type.tensor_type.elem_type]
    return y


def main(path, samples):
    model = onnx.load(path)
    onnx.checker.check_model(model)
    given = model.graph.input[0].type.tensor_type
    x = np.array(samples).astype(TYPES[given.elem_type])
    assert list(x.shape[1:]) == [d.dim_value for d in given.shape.dim][1:]
    return evaluate(model, x).astype(int).tolist()


json.dump([main(*pair) for pair in zip(sys.argv[1:], json.load(sys.stdin))], sys.stdout)
