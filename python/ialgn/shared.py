"""The C that `ialgn compile --emit c` writes, as a shared library called by ctypes."""

import ctypes
import json
import os
import re
import subprocess

import numpy as np

from .encoder import rows_of
from .errors import ModelError
from .network import uncertain
from .table import Table, is_table

_WORDS = 8  # the most words of a row that the C may be compiled with, by which memory is measured
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_BLOCK = 1 << 14  # samples of a call


def compile_c(folder, name=None, output=None, compiler="gcc", options=("-O2",)):
    """Compile the C in a folder that `ialgn compile --emit c` made, and return the library as a Shared.

    name is the module's where the folder has several; output the library's file, libNAME.so in the folder by default.
    Raises ModelError if there is no such C, or the compiler fails.
    """
    if name is None:
        headers = sorted(f[:-2] for f in _files(folder) if f.endswith(".h") and not f.endswith("_one.h"))
        names = [n for n in headers if os.path.exists(os.path.join(folder, n + ".c"))]
        if len(names) != 1:
            raise ModelError(
                folder,
                f"has the C of {len(names)} modules" if names else "has no C of a network",
                "give the name of one" if names else "run ialgn compile --emit c",
            )
        name = names[0]
    source = os.path.join(folder, name + ".c")
    output = os.path.join(folder, f"lib{name}.so") if output is None else output
    command = [compiler, "-std=c99", *options, "-shared", "-fPIC", "-o", os.fspath(output), source]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise ModelError(compiler, error.strerror or str(error), "install a C compiler, or name one") from None
    if done.returncode != 0:
        raise ModelError(
            source, f"{compiler} fails: {done.stderr.strip()[-500:]}", "give options that the compiler takes"
        )
    return Shared(output, os.path.join(folder, name + ".h"))


def _files(folder):
    try:
        return os.listdir(folder)
    except OSError as error:
        raise ModelError(folder, error.strerror or str(error), "name a folder that ialgn compile made") from None


class Shared:
    """A network in a shared library made of NAME.c.

    Samples are arrays with a row a sample, of feature values: integers, or real numbers where the network is of real
    features; with words=True, of feature words; of scope core, of input bits. Or they are a table, whose columns are
    found by the names in NAME.json. The library is trusted: it is called.

    Attributes: name, features and classes (their numbers), class_names, bits (of a feature word), real (whether
    features are real values), rejects (whether the network was compiled with --reject). Threads may share one, each
    call having memory of its own.
    """

    def __init__(self, path, header=None):
        """Open the library of a file, with the C header that belongs to it: NAME.h beside libNAME.so by default.

        NAME.json beside the header, if it is there, says how large words are and what classes are called.
        """
        path = os.fspath(path)
        if header is None:
            base = os.path.basename(path).partition(".")[0]
            header = os.path.join(os.path.dirname(path), (base[3:] if base.startswith("lib") else base) + ".h")
        header = os.fspath(header)
        self.name = os.path.basename(header)[:-2]
        if not header.endswith(".h") or not _NAME.match(self.name):
            raise ModelError(header, "no name of a header", "name NAME.h, as ialgn compile --emit c writes it")
        text = _text(header)
        macros = _macros(text, self.name.upper())
        for key in ("FEATURES", "FEATURE_BITS", "CLASSES", "CLASSIFY_SCRATCH"):
            if not 0 < macros.get(key, 0) < 1 << 40:
                raise ModelError(
                    header,
                    f"has no size {self.name.upper()}_{key}",
                    "compile with scope full or core, which have classes",
                )
        self.features, self.bits, self.classes = (macros[k] for k in ("FEATURES", "FEATURE_BITS", "CLASSES"))
        self._scratch = macros["CLASSIFY_SCRATCH"]
        self._word = np.uint16 if f"typedef uint16_t {self.name}_feature" in text else np.uint8
        self.real = f"{self.name}_classify_real(" in text
        self.rejects = f"{self.name}_classify_uncertain(" in text
        self.max, self.class_names = (1 << self.bits) - 1, tuple(str(c) for c in range(self.classes))
        self._table = None  # of NAME.json
        self._describe(header[:-2] + ".json")
        self._open(path)

    def _describe(self, path):
        """Take what the JSON file says beside the header."""
        if not os.path.exists(path):
            return
        try:
            said = json.loads(_text(path))
            names, most = said["classes"], said["words"]["max"]
            features = [feature["name"] for feature in said["features"]]
            columns = [{**column, "categories": column.get("values")} for column in said["columns"]]
            if len(features) == self.features:
                comma, declared = said.get("decimal") == "comma", said.get("missing_values", ())
                self._table = Table(features, columns, said.get("label", ""), comma, declared)
        except (ValueError, KeyError, TypeError):
            raise ModelError(path, "not what ialgn compile writes", "compile again") from None
        if isinstance(names, list) and len(names) == self.classes:
            self.class_names = tuple(str(name) for name in names)
        if said.get("scope") == "full" and isinstance(most, int) and 0 < most <= self.max:
            self.max = most

    def _open(self, path):
        try:
            library = ctypes.CDLL(os.path.abspath(path))
            self._classify = getattr(library, f"{self.name}_classify")
            quantise = getattr(library, f"{self.name}_quantise") if self.real else None
            if self.rejects:
                self._classify = getattr(library, f"{self.name}_classify_uncertain")
        except OSError as error:
            raise ModelError(
                path, f"cannot be loaded: {error}", "compile it for this system, with -shared -fPIC"
            ) from None
        except AttributeError as error:
            raise ModelError(path, f"lacks a function: {error}", "compile it from the C beside the header") from None
        pointer, size = ctypes.c_void_p, ctypes.c_size_t
        self._classify.argtypes = [pointer, size] + [pointer] * (4 if self.rejects else 3)
        self._classify.restype = ctypes.c_int
        if quantise is not None:
            quantise.argtypes, quantise.restype = [pointer, size, pointer], ctypes.c_int
        self._quantise = quantise

    def predict(self, X, words=False):
        """Return the class of each sample, the lowest where several counts are the largest, intp [n]."""
        return self._run(X, words)[0]

    def counts(self, X, words=False):
        """Return the count of each class, int32 [n, classes]."""
        return self._run(X, words)[1]

    def uncertain(self, X, margin=None, words=False):
        """Return where the largest count leads the second largest by less than the margin, bool [n].

        Without a margin, the library says it, of the margin that the network was compiled with (--reject).
        """
        if margin is not None:
            return uncertain(self.counts(X, words), margin)
        if not self.rejects:
            raise ModelError(
                "", "the library does not say which classes are uncertain", "give a margin, or compile with --reject"
            )
        return self._run(X, words)[2]

    def _run(self, X, words):
        if self._table is not None and is_table(X):
            X = self._table.values(X, words)
        X = rows_of(X, self.features)
        index, counts = np.zeros(len(X), np.uint16), np.zeros((len(X), self.classes), np.uint32)
        doubts = np.zeros(len(X), np.uint16)
        scratch = np.empty(self._scratch + 8, np.uint64)
        scratch = scratch[-(scratch.ctypes.data // 8) % 8 :]  # at a multiple of 64 bytes, for vectors
        real = self.real and not words
        for first in range(0, len(X), _BLOCK):
            part = slice(first, first + _BLOCK)
            out = [index[part], counts[part], doubts[part]] if self.rejects else [index[part], counts[part]]
            status = 0
            if real:
                values = np.ascontiguousarray(X[part], np.float64)
                x = np.empty(values.shape, self._word)
                status = self._quantise(values.ctypes.data, len(values), x.ctypes.data)
            else:
                x = self._words(X[part])
            if status == 0:
                status = self._classify(x.ctypes.data, len(x), *(a.ctypes.data for a in [*out, scratch]))
            if status != 0:
                raise ModelError(
                    "",
                    f"a feature of samples {first} to {first + len(x) - 1} is not one that the network takes",
                    "give finite numbers" if real else f"give integers of 0 to {self.max}",
                )
        return index.astype(np.intp), counts.astype(np.int32), doubts > 0

    def _words(self, x):
        if x.size and (
            not (x >= 0).all() or not (x <= self.max).all() or (x.dtype.kind == "f" and (x != np.floor(x)).any())
        ):
            raise ModelError("", "a feature is no word of this network", f"give integers of 0 to {self.max}")
        return np.ascontiguousarray(x, self._word)


def _text(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError as error:
        raise ModelError(
            path, error.strerror or str(error), "name NAME.h, as ialgn compile --emit c writes it"
        ) from None
    except UnicodeDecodeError:
        raise ModelError(path, "is no text", "name NAME.h, as ialgn compile --emit c writes it") from None


def _macros(text, prefix):
    """Return the sizes that a header defines, by what follows the prefix. Each may use those before it."""
    sizes = {"WORDS": _WORDS}
    for line in re.finditer(rf"^#define {prefix}_(\w+) ([^/\n]+)", text, re.M):
        value = _value(re.sub(rf"{prefix}_(\w+)", lambda m: str(sizes.get(m.group(1), "?")), line.group(2)))
        if value is not None and line.group(1) != "WORDS":
            sizes[line.group(1)] = value
    return sizes


def _value(text):
    """Return the value of sums of products of numbers, with parentheses; None for anything else."""
    tokens = re.findall(r"\d+|[-+*()]|\S", text)
    if len(tokens) > 64 or not all(re.fullmatch(r"\d{1,15}|[-+*()]", token) for token in tokens):
        return None
    try:
        value, rest = _sum(tokens)
    except (IndexError, ValueError):
        return None
    return None if rest else value


def _sum(tokens):
    value, tokens = _product(tokens)
    while tokens and tokens[0] in "+-":
        more, rest = _product(tokens[1:])
        value, tokens = (value + more if tokens[0] == "+" else value - more), rest
    return value, tokens


def _product(tokens):
    value, tokens = _factor(tokens)
    while tokens and tokens[0] == "*":
        more, tokens = _factor(tokens[1:])
        value *= more
    return value, tokens


def _factor(tokens):
    if tokens[0] == "(":
        value, rest = _sum(tokens[1:])
        if rest[0] != ")":
            raise ValueError("no closing parenthesis")
        return value, rest[1:]
    return int(tokens[0]), tokens[1:]
