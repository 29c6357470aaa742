"""Writes the checkpoints of the folder beside, with PyTorch 1.13: python3 make_beside.py.

Each is a dictionary with a state dict and, under the names of the test TestBeside, all kinds of other values that
training scripts save with it. Such values are made by classes that reading knows nothing of.
"""
import argparse
import array
import collections
import copyreg
import dataclasses
import datetime
import decimal
import enum
import fractions
import functools
import ipaddress
import pathlib
import random
import re
import sys
import types
import uuid

import numpy
import torch

torch.manual_seed(1)
random.seed(1)
numpy.random.seed(1)
trainer = types.ModuleType('trainer')
sys.modules['trainer'] = trainer


def public(o):
    """Makes a class or function one of the module trainer, as far as pickle knows."""
    o.__module__, o.__qualname__ = 'trainer', o.__name__
    setattr(trainer, o.__name__, o)
    return o


@public
class Color(enum.Enum):
    RED = 1


@public
class Number(enum.IntEnum):
    ONE = 1


@public
class Options(enum.Flag):
    A = 1
    B = 2


@public
@dataclasses.dataclass
class Config:
    lr: float = 0.1
    name: str = 'x'


Pair = public(collections.namedtuple('Pair', 'a b'))


@public
class Plain:
    def __init__(self):
        self.x = 1
        self.tensor = torch.ones(2)

    def method(self):
        pass


@public
class Slots:
    __slots__ = ('a', 'b')

    def __init__(self):
        self.a = 1
        self.b = [2]


@public
class State:
    def __getstate__(self):
        return (1, 2)

    def __setstate__(self, state):
        pass


@public
class Keywords:
    def __new__(cls, *, x):
        return super().__new__(cls)

    def __getnewargs_ex__(self):
        return (), {'x': 1}


@public
class Words(list):
    pass


@public
class Table(dict):
    pass


@public
class Text(str):
    pass


@public
class Group(set):
    pass


@public
class Error(Exception):
    pass


@public
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(2, 2)


@public
class Scaled(torch.Tensor):
    pass


@public
def helper(x):
    return x


def cyclic():
    d = {'name': 'trainer'}
    d['self'] = [d]
    return d


def endless():
    o = Plain()
    o.me = o
    return o


def deep():
    value = []
    for _ in range(1500):
        value = [value]
    return value


def marked():
    t = torch.ones(3).as_subclass(Scaled)
    t.scale = 2
    return t


def noted():
    p = torch.nn.Parameter(torch.ones(3))
    p.note = 'bias'
    return p


def others():
    model = torch.nn.Linear(2, 2)
    adam = torch.optim.Adam(model.parameters())
    model(torch.ones(1, 2)).sum().backward()
    adam.step()
    return {
        'TorchVersion': torch.__version__, 'Namespace': argparse.Namespace(lr=0.1, out=pathlib.Path('/a')),
        'SimpleNamespace': types.SimpleNamespace(a=1), 'PosixPath': pathlib.PosixPath('/a/b'),
        'PureWindowsPath': pathlib.PureWindowsPath('c:/a'), 'date': datetime.date(2024, 1, 2),
        'datetime': datetime.datetime(2024, 1, 2, 3, 4, 5), 'time': datetime.time(1, 2),
        'datetime with zone': datetime.datetime(2024, 1, 2, tzinfo=datetime.timezone.utc),
        'timedelta': datetime.timedelta(days=1), 'defaultdict': collections.defaultdict(list, {'a': [1]}),
        'defaultdict of helper': collections.defaultdict(helper), 'Counter': collections.Counter('aab'),
        'deque': collections.deque([1, 2], maxlen=3), 'ChainMap': collections.ChainMap({'a': 1}),
        'UserDict': collections.UserDict(a=1), 'range': range(3), 'slice': slice(1, 2), 'complex': 1 + 2j,
        'Ellipsis': ..., 'object': object(), 'Decimal': decimal.Decimal('1.5'), 'Fraction': fractions.Fraction(1, 3),
        'UUID': uuid.UUID(int=5), 'Enum': Color.RED, 'IntEnum': Number.ONE, 'Flag': Options.A | Options.B,
        'Enum as key': {Color.RED: 1}, 'bytes as key': {b'a': 1, 2**70: 2}, 'dataclass': Config(), 'namedtuple': Pair(1, 2),
        'instance': Plain(), 'slots': Slots(), 'state': State(), 'keywords': Keywords(x=1), 'list subclass': Words([1, 2]),
        'dict subclass': Table(a=1), 'str subclass': Text('a'), 'set subclass': Group([1]), 'exception': Error('x'),
        'pattern': re.compile('a+'), 'array': array.array('d', [1, 2]), 'address': ipaddress.ip_address('10.0.0.1'),
        'function': helper, 'built-in function': len, 'class': dict, 'bound method': Plain().method,
        'partial': functools.partial(helper, 1, x=Color.RED), 'random': random.Random(1), 'random state': random.getstate(),
        'words': numpy.array(['ab', 'c']), 'objects': numpy.array([{'a': 1}, None], dtype=object),
        'dates': numpy.array(['2024-01-02'], dtype='datetime64[D]'), 'bytes array': numpy.array([b'ab']),
        'records': numpy.zeros(2, dtype=[('a', '<i4'), ('b', '<f4')]), 'big-endian': numpy.arange(3, dtype='>i4'),
        'long double': numpy.ones(2, dtype=numpy.longdouble), 'complex array': numpy.ones(2, dtype='c8'),
        'matrix': numpy.matrix([[1, 2]]), 'masked array': numpy.ma.array([1, 2], mask=[True, False]),
        'recarray': numpy.rec.array([(1, 2.0)]), 'str_': numpy.str_('ab'), 'datetime64': numpy.datetime64('2024-01-02'),
        'complex64': numpy.complex64(1j), 'numpy type': numpy.float32, 'numpy dtype': numpy.dtype('f4'),
        'RandomState': numpy.random.RandomState(1), 'Generator': numpy.random.default_rng(1),
        'numpy random state': numpy.random.get_state(), 'torch random state': torch.get_rng_state()[:40],
        'optimizer state': adam.state_dict(), 'optimizer': adam, 'scheduler': torch.optim.lr_scheduler.StepLR(adam, 3),
        'module of the user': Net(), 'sparse': torch.eye(2).to_sparse(), 'sparse csr': torch.eye(2).to_sparse_csr(),
        'quantised': torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.quint8),
        'quantised by channel': torch.quantize_per_channel(torch.ones(2, 2), torch.ones(2), torch.zeros(2), 0, torch.qint8),
        'parameter': torch.nn.Parameter(torch.ones(3)), 'parameter with attribute': noted(), 'tensor subclass': marked(),
        'buffer': torch.ones(3), 'meta': torch.empty(3, device='meta'), 'layout': torch.strided,
        'Size': torch.Size([1, 2]), 'device': torch.device('cuda:1'),
        'dtype': torch.qint8, 'iinfo': str(torch.iinfo(torch.int8)), 'complex half': torch.ones(2, dtype=torch.complex64),
        'cyclic': cyclic(), 'endless': endless(), 'deep': deep(),
    }


def save(path, **kw):
    state = collections.OrderedDict([('0.luts', torch.arange(8.).reshape(2, 4))])
    torch.save({'epoch': 3, **others(), 'state_dict': state}, path, **kw)


if __name__ == '__main__':
    sys.setrecursionlimit(100000)
    save('beside/protocol2.pt')
    save('beside/protocol4.pt', pickle_protocol=4)
    save('beside/legacy.pt', _use_new_zipfile_serialization=False)
