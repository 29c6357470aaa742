"""Writes the checkpoints of this folder, with PyTorch 1.13: python3 make.py, then python3 dump.py *.pt > dump.txt.

views.pt, views_legacy.pt  tensors of all types, and views: transposed, expanded, sliced, shared, empty, of no dimension
views_protocol4.pt         the same by the opcodes of protocol 4
module.pt                  a whole model with what PyTorch 2's modules have, classes of difflogic, functions, a partial
values.pt                  what else stands in checkpoints: numbers, bytes, sets, numpy, devices, sizes
"""
import collections
import functools
import sys
import types

import numpy
import torch

torch.manual_seed(1)


def views():
    base = torch.arange(60, dtype=torch.float32).reshape(3, 4, 5) / 7
    d = collections.OrderedDict()
    for t in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
        d[str(t)] = torch.randn(4, 3, dtype=torch.float64).mul(1000).to(t)
    special = [0.0, -0.0, float('inf'), float('-inf'), float('nan'), 1e-45, 6e-8, 65504.0, 1e-5, 1 / 3, 1 + 1e-9]
    for t in (torch.float32, torch.float64, torch.float16, torch.bfloat16):
        d['special ' + str(t)] = torch.tensor(special, dtype=torch.float64).to(t)
    for t in (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64):
        info = torch.iinfo(t)
        d[str(t)] = torch.tensor([info.min, info.max, 0, 1, 100], dtype=t)
    d['bool'] = torch.tensor([[True, False], [False, True]])
    d['complex64'] = torch.tensor([1 + 2j])
    d['base'] = base
    d['transposed'] = base.transpose(0, 2)
    d['permuted'] = base.permute(1, 2, 0)
    d['sliced'] = base[1:, ::2, 1::3]
    d['one'] = base[2, 3, 4]
    d['expanded'] = torch.tensor([[1.5], [2.5]]).expand(2, 4)
    d['expanded twice'] = torch.tensor(7).expand(3, 2)
    d['scalar'] = torch.tensor(3.25, dtype=torch.float64)
    d['empty'] = torch.empty(0, 3)
    d['empty view'] = base[:, 4:, :]
    d['parameter'] = torch.nn.Parameter(base[0].clone())
    d['storage'] = torch.tensor([1, 2, 3], dtype=torch.int16)
    d._metadata = {'version': 1}
    return d


def values():
    return {
        'none': None, 'true': True, 'false': False, 'int': [0, 255, 256, 65536, -1, -2**31, 2**31, -2**63, 2**63 - 1],
        'big': [2**63, -2**63 - 1, 2**100], 'float': [0.1, -1e300, float('inf')], 'string': 'thermometer \u00e9\u2192',
        'bytes': b'\x00\xff\x80', 'no bytes': b'', 'bytearray': bytearray(b'ab'), 'tuple': ((), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4)),
        'set': {5}, 'frozenset': frozenset([6]), 'size': torch.Size([2, 3]), 'device': torch.device('cuda', 1),
        'cpu': torch.device('cpu'), 'dtype': torch.bfloat16, 'ordered': collections.OrderedDict([('b', 1), ('a', 2)]),
        3: 'three', (1, 2): 'pair', 'array': numpy.arange(6, dtype='<i4').reshape(2, 3),
        'fortran': numpy.asfortranarray(numpy.arange(6, dtype='<f8').reshape(2, 3)), 'flags': numpy.array([True, False]),
        'float32': numpy.float32(0.1), 'int64': numpy.int64(-5), 'bool_': numpy.bool_(True), 'half': numpy.float16(1.5),
    }


def module():
    package = types.ModuleType('difflogic')
    inner = types.ModuleType('difflogic.difflogic')

    class LogicLayer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weights = torch.nn.Parameter(torch.randn(6, 16))
            both = torch.randint(0, 4, (12,))
            self.indices = (both[:6], both[6:])
            self.register_buffer('mask', torch.tensor([True] * 6))
            self.register_buffer('nothing', None)
            self.activation = torch.nn.functional.relu
            self.step = functools.partial(gate, 3, soft=True)
            self.kind = LogicLayer
            for name in ('_backward_pre_hooks', '_forward_hooks_with_kwargs', '_forward_hooks_always_called',
                         '_forward_pre_hooks_with_kwargs', '_state_dict_pre_hooks', '_load_state_dict_post_hooks'):
                self.__dict__[name] = collections.OrderedDict()

    def gate(x, soft=False):
        return x

    for o in (LogicLayer, gate):
        o.__module__, o.__qualname__ = inner.__name__, o.__name__
        setattr(inner, o.__name__, o)
    sys.modules['difflogic'], sys.modules['difflogic.difflogic'] = package, inner
    package.difflogic = inner
    return torch.nn.Sequential(torch.nn.Flatten(), LogicLayer(), torch.nn.BatchNorm1d(2))


torch.save(views(), 'views.pt')
torch.save(views(), 'views_legacy.pt', _use_new_zipfile_serialization=False)
torch.save(views(), 'views_protocol4.pt', pickle_protocol=4)
torch.save(values(), 'values.pt')
torch.save(module(), 'module.pt')
