"""Prints every tensor of checkpoints: python3 dump.py FILE.... A line is the type, the shape and the SHA-256 of the
elements as float64 and as float32, or as int64, little-endian, all NaNs the same. Tensors come in the order of the
pickle: entries of dictionaries, items, attributes. Classes become stand-ins, so that no package is needed."""
import hashlib
import os
import pickle
import sys
import types

import numpy
import torch


class Object:
    def __init__(self, *args):
        pass

    def __setstate__(self, state):
        self.state = state


class Unpickler(pickle.Unpickler):
    def find_class(self, module, name):
        if module.split('.')[0] in ('difflogic', 'torchlogix', 'torch_dwn', 'functools') or module.startswith('torch.nn.'):
            return Object
        return super().find_class(module, name)


# PyTorch 1.13 takes no notice of the argument pickle_module.
stand_in = types.ModuleType('pickle')
stand_in.__dict__.update(pickle.__dict__, Unpickler=Unpickler, load=lambda f, **kw: Unpickler(f, **kw).load())
torch.serialization.pickle = stand_in


def sha(a):
    return hashlib.sha256(numpy.ascontiguousarray(a).tobytes()).hexdigest()


def same_nan(a):
    a = a.copy()
    a[numpy.isnan(a)] = numpy.nan
    return a


def show(v):
    if isinstance(v, numpy.ndarray):
        v = torch.from_numpy(v)
    if isinstance(v, torch.Tensor):
        v = v.detach()
        sums = '-'
        if v.dtype.is_floating_point:
            sums = sha(same_nan(v.double().numpy())) + ' ' + sha(same_nan(v.double().float().numpy()))
        elif not v.dtype.is_complex:
            sums = sha(v.long().numpy())
        print(str(v.dtype)[6:], '[' + ' '.join(map(str, v.shape)) + ']', sums)
    elif isinstance(v, dict):
        for x in v.values():
            show(x)
    elif isinstance(v, (list, tuple)):
        for x in v:
            show(x)
    elif isinstance(v, Object) and hasattr(v, 'state'):
        show(v.state)


for path in sys.argv[1:]:
    print('file', os.path.basename(path))
    show(torch.load(path, map_location='cpu', pickle_module=stand_in))
