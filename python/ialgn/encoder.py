"""How features become the input bits of a network: words by scales or by cuts, and the thermometer."""

import math
import unicodedata

import numpy as np

from .errors import Fault, ModelError
from .table import is_table

MIN_BITS, MAX_BITS, MAX_BITS_IN = 2, 256, 16
_KINDS = ("number", "category", "label", "dropped")


class Encoder:
    """The thermometer code of a data set's features.

    Input bit f*(bits-1)+j-1 is word f > thresholds[f, j-1], strictly. The word of a feature is the value itself, an
    integer of 0 to max; or of real values

    - by scales round((x - offset) * scale), halves away from zero, at least 0 and at most max, 0 where scale is 0;
    - by cuts the number of the feature's cuts that x exceeds, strictly.

    Attributes: bits, bits_in, max (integers), names (a list or None), columns (a list of dicts or None), thresholds
    (uint16 [features, bits-1]), offset and scale (float64 [features]) or cuts (float64 [features, bits-1]), or None.
    """

    def __init__(self, bits, bits_in, max, thresholds, names=None, columns=None, offset=None, scale=None, cuts=None):
        self.bits, self.bits_in, self.max = bits, bits_in, max
        self.thresholds, self.names, self.columns = thresholds, names, columns
        self.offset, self.scale, self.cuts = offset, scale, cuts
        self._fill = None  # what a missing value becomes, made when first asked for

    @property
    def features(self):
        """Number of features."""
        return len(self.thresholds)

    @property
    def inputs(self):
        """Number of thermometer bits."""
        return self.thresholds.size

    @property
    def real(self):
        """Whether features are real values, which become words."""
        return self.scale is not None or self.cuts is not None

    # Checking.

    def check(self):
        """Raise a Fault unless this is an encoder that ialgn could have made."""
        self.check_widths()
        if self.names and len(self.names) != self.features:
            raise Fault(f"encoder: {len(self.names)} feature names for {self.features} features")
        for f, name in enumerate(self.names or []):
            if not printable(name):
                raise Fault(f"feature {f}: its name {name[:60]!a} holds control characters or is not UTF-8")
        _first_wrong(np.diff(self.thresholds.astype(np.int32), axis=1) < 0, "threshold {j} is above the next one")
        _first_wrong(self.thresholds > self.max, f"threshold {{j}} is above the largest value {self.max}")
        self._check_columns()
        if self.cuts is not None:
            self._check_cuts()
        elif self.scale is not None:
            wrong = ~(np.isfinite(self.offset) & np.isfinite(self.scale) & (self.scale >= 0))
            _first_wrong(wrong[:, None], "offset and scale, want finite numbers and a scale of at least 0")

    def check_widths(self):
        """Raise a Fault for widths outside what an encoder may have."""
        if not MIN_BITS <= self.bits <= MAX_BITS:
            raise Fault(f"encoder bits: {self.bits} is outside {MIN_BITS}..{MAX_BITS}")
        if not 1 <= self.bits_in <= MAX_BITS_IN:
            raise Fault(f"feature width: {self.bits_in} bits is outside 1..{MAX_BITS_IN}")
        if not 1 <= self.max < 1 << self.bits_in:
            raise Fault(f"largest feature value: {self.max} is outside 1..{(1 << self.bits_in) - 1}")

    def _check_cuts(self):
        n = self.bits - 1
        if self.max != n or self.bits_in != n.bit_length():
            raise Fault(
                f"feature words of {self.bits_in} bits up to {self.max}, but {n} cuts give words of "
                f"{n.bit_length()} bits up to {n}"
            )
        _first_wrong(~np.isfinite(self.cuts), "cut {j} is no finite number")
        _first_wrong(np.diff(self.cuts, axis=1) < 0, "cut {j} is above the next one")
        _first_wrong(self.thresholds != np.arange(n), "threshold {j} is not what its word, a number of cuts, needs")
        words = np.repeat(
            [c["kind"] == "category" for c in self.columns or []], [_column_features(c) for c in self.columns or []]
        )
        if words.any():
            _first_wrong(words[:, None] & ~((self.cuts >= 0) & (self.cuts < 1)), "cut {j} of a category's word, 0 or 1")

    def _check_columns(self):
        columns, features, labels = self.columns or [], 0, 0
        for i, column in enumerate(columns):
            reason = _column_fault(column)
            if reason:
                raise Fault(f"column {i + 1}: {reason}")
            features += _column_features(column)
            labels += column["kind"] == "label"
        if columns and features != self.features:
            raise Fault(f"the columns become {features} features, want {self.features}")
        if labels > 1:
            raise Fault(f"{labels} columns are labels, want at most one")
        if columns and not self.real:
            raise Fault("columns of a table without the ranges of their values")

    # Encoding.

    def words(self, x):
        """Return the feature words, uint16 [n, features], of values [n, features].

        Of real features a NaN is a missing value where the column may have one: a number is what training filled in,
        a category none of its words. Raises ModelError for any other value that is not finite, and of integer
        features for one that is no integer of 0 to max.
        """
        x = rows_of(x, self.features)
        if not self.real:
            return self._integers(x)
        x = self._reals(x)
        if self.cuts is not None:
            return self._by_cuts(x).reshape(len(x), self.features, self.bits - 1).sum(axis=2, dtype=np.uint16)
        with np.errstate(over="ignore", invalid="ignore"):
            v = (x - self.offset) * self.scale
            whole = np.floor(v)
            v = whole + (v - whole >= 0.5)  # exact, as v + 0.5 is not; below 0 all become 0 anyway
        v = np.where(self.scale == 0, 0, v)
        return np.clip(v, 0, self.max).astype(np.uint16)

    def thermometer(self, words):
        """Return the input bits, bool [n, inputs], of words [n, features]."""
        return (words[:, :, None] > self.thresholds).reshape(len(words), self.inputs)

    def encode(self, x, words=False):
        """Return the input bits, bool [n, inputs], of values, or of feature words if words is true."""
        if words:
            return self.thermometer(self._integers(rows_of(x, self.features)))
        if self.cuts is not None:
            return self._by_cuts(self._reals(rows_of(x, self.features)))
        return self.thermometer(self.words(x))

    def _by_cuts(self, x):
        return (x[:, :, None] > self.cuts).reshape(len(x), self.inputs)

    def _integers(self, x):
        wrong = (
            (x < 0) | (x > self.max) | (x != np.floor(x))
            if x.dtype.kind == "f"
            else (x.astype(np.int64, copy=False) < 0) | (x > self.max)
        )
        if wrong.any():
            i, f = np.argwhere(wrong)[0]
            raise ModelError(
                "",
                f"sample {i}: feature {f} is {x[i, f]}, want an integer of 0 to {self.max}",
                "give the values that the model was trained on",
            )
        return x.astype(np.uint16)

    def _reals(self, x):
        x = x.astype(np.float64)
        if not np.isfinite(x).all():
            if self._fill is None:
                self._fill = self._missing()
            x = np.where(np.isnan(x), self._fill, x)
        if not np.isfinite(x).all():
            i, f = np.argwhere(~np.isfinite(x))[0]
            raise ModelError("", f"sample {i}: feature {f} is not a finite number", "give a number, or leave it out")
        return x

    def _missing(self):
        """Return what a missing value of each feature becomes; NaN where there must be none."""
        fill = []
        for column in self.columns or [{"kind": "number"}] * self.features:
            value = float(column.get("fill", 0)) if column["kind"] == "number" else 0.0
            fill += [value if column.get("missing") else np.nan] * _column_features(column)
        return np.array(fill)


def rows_of(x, features):
    """Return samples as [n, features]; those of other shapes, such as images, are flattened. x is no table."""
    if is_table(x):
        raise ModelError("", "a table, whose columns have names, where an array is wanted", "give it to the model")
    x = np.asarray(x)
    if x.dtype.kind not in "buif":
        raise ModelError("", f"samples of type {x.dtype}, want numbers", "give an array of numbers")
    if x.ndim < 2 or int(np.prod(x.shape[1:])) != features:
        raise ModelError(
            "",
            f"samples of shape {list(x.shape)}, the model reads {features} features a sample",
            f"give an array of shape [samples, {features}]",
        )
    return x.reshape(len(x), features)


def printable(text):
    """Report whether a name of a file may stand in messages and generated source."""
    return not any(unicodedata.category(c) in ("Cc", "Cs") for c in text)


def _first_wrong(wrong, reason):
    """Raise a Fault that names the first feature and threshold of an array [features, j], if any is true."""
    if wrong.any():
        f, j = np.argwhere(wrong)[0]
        raise Fault(f"feature {f}: {reason.format(j=j + 1)}")


def _column_features(column):
    return {"number": 1, "category": len(column.get("categories") or [])}.get(column["kind"], 0)


def _column_fault(column):
    """Return what is wrong with a column of the metadata, whose keys and types were checked; empty if nothing is."""
    kind, categories, fill = column["kind"], column.get("categories") or [], column.get("fill", 0)
    if kind not in _KINDS:
        return f"the kind {kind[:40]!a} is unknown"
    for text in [column.get("name", ""), *categories]:
        if not printable(text):
            return f"{text[:60]!a} holds control characters or is not UTF-8"
    if (kind == "category") != bool(categories):
        return f"{len(categories)} categories of a {kind}"
    if any(a.encode() >= b.encode() for a, b in zip(categories, categories[1:])):
        return "its categories are not in order, or not different"
    if not math.isfinite(fill) or (fill and (not column.get("missing") or kind != "number")):
        return "what a missing value is, is no finite number, or given where none may be"
    return ""
