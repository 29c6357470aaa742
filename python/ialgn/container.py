"""The safetensors container, read strictly and written as ialgn writes it.

A file is 8 bytes with the length of the header, little-endian; the header, a JSON object that maps
names to type, shape and place, and the name __metadata__ to an object of strings; and the tensors'
elements, little-endian, one tensor after the other without holes.
"""

import json
import os
import stat
import tempfile

import numpy as np

from .crc32c import crc32c
from .errors import DAMAGED, Fault, ModelError

DTYPES = {
    "U16": np.dtype("<u2"),
    "U32": np.dtype("<u4"),
    "I64": np.dtype("<i8"),
    "F32": np.dtype("<f4"),
    "F64": np.dtype("<f8"),
}
NAMES = {dtype: name for name, dtype in DTYPES.items()}

MAX_HEADER = 16 << 20  # bounds what is read before anything about the file is known to be true
_CHECKSUM, _NO_CHECKSUM = "crc32c", "00000000"


class Container:
    """What a file holds: metadata, strings by name, and tensors, arrays by name in the order of their places."""

    def __init__(self, metadata, tensors):
        self.metadata = metadata
        self.tensors = tensors


# Reading.


def read(path):
    """Read a file. The arrays are views of one that holds all its data, and cannot be written to.

    Raises ModelError, also where the file cannot be opened. Memory is a small multiple of the file's size at most.
    """
    try:
        with _open_regular(path) as file:
            return _read(file)
    except OSError as error:
        raise ModelError(path, error.strerror or str(error), "name a model file, as train writes it") from None
    except Fault as fault:
        raise fault.of(path) from None


def _open_regular(path):
    """Open a regular file, without waiting for the other end of a pipe."""
    mode = os.stat(path).st_mode
    if stat.S_ISDIR(mode):
        raise Fault("is a folder", "name a model file in it")
    if not stat.S_ISREG(mode):
        raise Fault("is a device or pipe, which is no model file", "name a model file")
    return open(path, "rb")


def _read(file):
    size = os.fstat(file.fileno()).st_size
    header = _read_header(file, size)
    metadata, entries = _parse(header)
    places = _check_layout(entries, size - 8 - len(header))
    data = np.empty(size - 8 - len(header), np.uint8)
    if file.readinto(data) != len(data):
        raise Fault("the file changed while it was read", "wait until what writes it is done, and try again")
    data.flags.writeable = False
    _check_sum(metadata, header, data)
    tensors = {}
    for name, dtype, shape, begin, end in places:
        tensors[name] = np.frombuffer(data[begin:end], dtype).reshape(shape)
    return Container(metadata, tensors)


def _read_header(file, size):
    if size < 8:
        raise Fault(f"{size} bytes are too few for a model file")
    n = int.from_bytes(file.read(8), "little")
    if n > size - 8:
        raise Fault(f"header: length {n}, but the file has {size} bytes")
    if n > MAX_HEADER:
        raise Fault(f"header: length {n}, want at most {MAX_HEADER}")
    header = file.read(n)
    if len(header) != n:
        raise Fault("the file changed while it was read", "wait until what writes it is done, and try again")
    return header


def strict_json(text, where):
    """Return the value of a JSON text. What the standard has not (NaN, a name twice) is a Fault, as is what would
    take a decoder long: numbers of thousands of digits, deep nesting."""
    try:
        return json.loads(text, object_pairs_hook=_object, parse_int=_integer, parse_constant=_constant)
    except RecursionError:
        raise Fault(f"{where}: nested too deep") from None
    except ValueError as error:  # json.JSONDecodeError and UnicodeDecodeError are
        raise Fault(f"{where}: {error}") from None


def _object(pairs):
    value = dict(pairs)
    if len(value) < len(pairs):
        seen = set()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))
        raise ValueError(f"{shown(twice)} occurs twice")
    return value


def _integer(text):
    if len(text) > 20:
        raise ValueError(f"the number {text[:20]}... is too large")
    return int(text)


def shown(name):
    """Return a name of a file as messages show it."""
    return ascii(name[:60])[1:-1]


def _constant(text):
    raise ValueError(f"{text} is no number")


def _parse(header):
    """Return metadata and tensor entries of a header."""
    try:
        text = header.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Fault(f"header: {error}") from None
    content = strict_json(text, "header")
    if not isinstance(content, dict):
        raise Fault("header: not a JSON object")
    if not text.rstrip(" ").endswith("}"):
        raise Fault("header: bytes after the JSON object")
    metadata = content.pop("__metadata__", {})
    if not isinstance(metadata, dict) or not all(isinstance(v, str) for v in metadata.values()):
        raise Fault("header: __metadata__: want an object of strings")
    return metadata, content


def _check_layout(entries, n):
    """Return name, type, shape, begin and end of all tensors in the order of their places.

    They fill the n bytes behind the header exactly.
    """
    places, at = sorted((_entry(name, e) for name, e in entries.items()), key=lambda p: (p[3], p[4], p[0])), 0
    for key, dtype, shape, begin, end in places:
        name = shown(key)
        if begin != at:
            raise Fault(f"{name}: begins at byte {begin} of the data, want {at}, the end of the tensor before")
        at += _bytes(name, dtype, shape, n)
        if end != at:
            raise Fault(f"{name}: ends at byte {end} of the data, want {at}, as its shape says")
        if at > n:
            raise Fault(f"{name}: ends at byte {at} of the data, but the file has only {n}")
    if at != n:
        raise Fault(f"the tensors end at byte {at} of the data, which has {n}")
    return places


def is_count(value):
    """Report whether a JSON value is a whole number of at least 0, as bool is not."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _entry(key, entry):
    """Return a tensor's line with the types that it must have."""
    name = shown(key)
    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
        raise Fault(f"header: {name}: want dtype, shape and data_offsets")
    dtype, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(dtype, str) or dtype not in DTYPES:
        raise Fault(f"{name}: type {ascii(dtype)[:22]}, want U16, U32, I64, F32 or F64")
    if not isinstance(shape, list) or len(shape) > 8 or not all(is_count(d) and d > 0 for d in shape):
        raise Fault(f"{name}: shape {ascii(shape)[:60]} does not fit the file")
    if not isinstance(offsets, list) or len(offsets) != 2 or not all(is_count(o) for o in offsets):
        raise Fault(f"{name}: data_offsets {ascii(offsets)[:60]}, want two places")
    return key, DTYPES[dtype], tuple(shape), offsets[0], offsets[1]


def _bytes(name, dtype, shape, limit):
    """Return the size that type and shape give, which may not be above limit."""
    size = dtype.itemsize
    for d in shape:
        size *= d
        if size > limit:
            raise Fault(f"{name}: shape {list(shape)} does not fit the file")
    return size


def _check_sum(metadata, header, data):
    """Compare the file with its checksum. One without it, which another program has written, passes."""
    want = metadata.get(_CHECKSUM)
    if want is None:
        return
    text = f'"{_CHECKSUM}":"{want}"'.encode("utf-8", "surrogatepass")
    if len(want) != len(_NO_CHECKSUM) or header.count(text) != 1:
        raise Fault(f"metadata: {_CHECKSUM} is {want[:20]!a}, want one of eight digits")
    got = _sum(header.replace(text, _place(_NO_CHECKSUM)), [data])
    if got != want:
        raise Fault(f"checksum {want}, but what the file holds has {got}")


def _place(digits):
    return f'"{_CHECKSUM}":"{digits}"'.encode()


def _sum(header, arrays):
    """Return the checksum of a file of that header and these arrays."""
    crc = crc32c(np.frombuffer(len(header).to_bytes(8, "little") + header, np.uint8))
    for array in arrays:
        crc = crc32c(_as_bytes(array), crc)
    return f"{crc:08x}"


def _as_bytes(array):
    """Return an array's elements, little-endian, as bytes."""
    array = np.ascontiguousarray(array)
    return array.astype(array.dtype.newbyteorder("<"), copy=False).reshape(-1).view(np.uint8)


# Writing.

_ESCAPES = {ord('"'): '\\"', ord("\\"): "\\\\", 0x2028: "\\u2028", 0x2029: "\\u2029"}
_ESCAPES.update({i: f"\\u{i:04x}" for i in [*range(32), *b"<>&"]})
_ESCAPES.update({ord(c): f"\\{e}" for c, e in ("\bb", "\ff", "\nn", "\rr", "\tt")})


def quoted(text):
    """Return a text as a JSON string in the form that Go's encoding/json gives it."""
    return f'"{text.translate(_ESCAPES)}"'


def write(path, container):
    """Write a file, beside it first and then renamed. Tensors of wide elements come first, otherwise in their order.

    Returns nothing; raises ModelError where the file cannot be written.
    """
    names = sorted(container.tensors, key=lambda name: -container.tensors[name].dtype.itemsize)
    header = _header(container, names)
    arrays = [container.tensors[name] for name in names]
    digits = _sum(header, arrays)
    header = header.replace(_place(_NO_CHECKSUM), _place(digits), 1)
    try:
        _write(path, header, arrays)
    except OSError as error:
        raise ModelError(path, error.strerror or str(error), "name a file that can be written") from None


def _header(container, names):
    """Return the header without the digits of the checksum, padded such that the data begin at a multiple of 8."""
    metadata = dict(container.metadata, **{_CHECKSUM: _NO_CHECKSUM})
    pairs = ",".join(f"{quoted(key)}:{quoted(metadata[key])}" for key in sorted(metadata))
    lines, at = ['"__metadata__":{' + pairs + "}"], 0
    for name in names:
        array = container.tensors[name]
        end = at + array.nbytes
        shape = ",".join(str(d) for d in array.shape)
        dtype = NAMES[array.dtype.newbyteorder("<")]
        lines.append(f'{quoted(name)}:{{"dtype":"{dtype}","shape":[{shape}],"data_offsets":[{at},{end}]}}')
        at = end
    header = ("{" + ",".join(lines) + "}").encode("utf-8")
    header += b" " * (-len(header) % 8)
    if len(header) > MAX_HEADER:
        raise ModelError("", f"metadata of {len(header)} bytes, want at most {MAX_HEADER}", "shorten the feature names")
    return header


def _write(path, header, arrays):
    folder, name = os.path.split(os.path.abspath(path))
    handle, beside = tempfile.mkstemp(dir=folder, prefix=f".{name}-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(len(header).to_bytes(8, "little") + header)
            for array in arrays:
                file.write(_as_bytes(array))
        os.chmod(beside, 0o666 & ~_umask())
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise


def _umask():
    mask = os.umask(0o22)
    os.umask(mask)
    return mask
