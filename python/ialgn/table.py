"""Tables whose columns have names, such as DataFrames: which column is which feature, and what its values are."""

import collections
import numbers
import re

import numpy as np

from .errors import ModelError

# What stands for a missing value in a file, in upper or lower case: MissingWords of internal/encoding/column.go in any
# column, and its MissingNumbers in a column of numbers.
MISSING_WORDS = ("", "na", "n/a", "nan", "null", "?")
MISSING_NUMBERS = (
    *("#n/a", "#n/a n/a", "#na", "#nv", "#n/d", "<na>", "none", "\\n", "-", "--", ".", "..", "nat", "-nan", "+nan"),
    *("1.#qnan", "-1.#ind", "1.#ind", "-1.#qnan"),
)
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_SHOWN = 8  # names in a message


def is_table(X):
    """Report whether X has named columns: a DataFrame, or another object like it, or a structured array."""
    return column_names(X) is not None


def column_names(X):
    """Return the names of a table's columns in their order, None if X is no table. X[name] is a column."""
    if isinstance(X, np.ndarray):
        return X.dtype.names
    for attribute in ("column_names", "columns"):
        names = getattr(X, attribute, None)
        if names is not None:
            return list(names)
    return None


class Table:
    """The table that a model was trained on, and how the columns of another one become its features.

    names are the features' names; columns, None or a list of dicts with the keys of the model file's metadata, are all
    columns of that table, of which those of the kinds label and dropped become no feature. label is the name of the
    label's column, where one is known; comma says that numbers in texts have a decimal comma. declared are words that
    say that a value is missing, besides the usual ones; one that is a number stands for any that is equal.
    """

    def __init__(self, names, columns=None, label="", comma=False, declared=()):
        self.names, self.comma, self.declared = list(names), comma, list(declared)
        self.columns = columns or [{"kind": "number"} for _ in self.names]
        self.unread = {c.get("name", "") for c in self.columns if not _features(c)} | {label}
        self.unread.discard("")
        self.read, at = [], 0  # of each column that becomes features: it, its name and the names of its features
        for c in self.columns:
            if _features(c):
                own = self.names[at : at + _features(c)]
                at += len(own)
                self.read.append((c, c.get("name") or (own[0] if c["kind"] == "number" else ""), own))

    def values(self, X, words=False):
        """Return the feature values of a table's rows, float64 [n, features]; or words, which it has by feature.

        Columns are found by their names, in any order; those named 0, 1, 2 and so on by their places. A category may
        also be given as columns of numbers with the names of its features. Raises ModelError if a column is missing,
        not known or there twice, or if a value is not one that training reads.
        """
        given = column_names(X)
        places = [str(name).strip() for name in given]
        found = self._by_name(places, words)
        if found is None:
            found = self._by_place(given, words)
        parts = [read(np.asarray(X[given[at]]), given[at]) for at, read in found]
        return np.concatenate(parts, axis=1) if parts else np.empty((len(X), 0))

    def _by_name(self, given, words):
        """Return the place of each column and the function that reads it; None if the names are numbers of places."""
        at = {name: i for i, name in enumerate(given)}
        wanted, missing = [], []
        for column, name, own in self.read:
            if name and name in at and not (words and column["kind"] == "category"):
                wanted.append((name, self._reader(column, words)))
            elif column["kind"] == "category" and (words or any(feature in at for feature in own)):
                missing += [feature for feature in own if feature not in at]
                wanted += [(feature, self._reader({"kind": "number"}, words)) for feature in own]
            else:
                missing.append(name or own[0])
        used = {name for name, _ in wanted}
        if given == [str(i) for i in range(len(given))] and not any(name in at for name in used):
            return None
        if len(used) < len(wanted):
            raise ModelError("", "two features of the model have the same name", "give an array of them in their order")
        unknown = [name for name in given if name not in used and name not in self.unread]
        self._refuse(given, missing, unknown)
        return [(at[name], read) for name, read in wanted]

    def _refuse(self, given, missing, unknown):
        """Raise a ModelError unless each column that the model knows is there once, and no other."""
        twice = [name for name, n in collections.Counter(given).items() if n > 1]
        if twice:
            raise ModelError("", f"the table has two columns {_listed(twice)}", "leave one out")
        has = f"has {_listed(unknown)}, unknown to the model" if unknown else ""
        if missing:
            raise ModelError(
                "",
                f"the table lacks {_listed(missing)}" + (f"; it {has}" if has else ""),
                "name the columns as the model's, or give an array of the features in their order",
            )
        if unknown:
            raise ModelError("", f"the table {has}", "leave out what the model was not trained on")

    def _by_place(self, given, words):
        """Return what _by_name does of a table whose columns are numbered: all columns of training, these without the
        label, or those of features alone."""
        columns = [{"kind": "number"}] * len(self.names) if words else self.columns
        reads = [(c, self._reader(c, words)) for c in columns]
        forms = [reads, [r for r in reads if r[0]["kind"] != "label"], [r for r in reads if _features(r[0])]]
        for form in forms:
            if len(form) == len(given):
                return [(i, read) for i, (c, read) in enumerate(form) if _features(c)]
        sizes = ", ".join(str(n) for n in sorted({len(form) for form in forms}))
        raise ModelError(
            "", f"the table has {len(given)} columns without names, the model wants {sizes}", "name the columns"
        )

    def _reader(self, column, words):
        """Return the function that makes the values of features, [n, k], of a column's values and its name."""
        if words:
            return lambda values, name: _numbers(values, name, {"missing": True}, False, ())
        if column["kind"] == "category":
            return lambda values, name: _categories(values, name, column, self.declared)
        return lambda values, name: _numbers(values, name, column, self.comma, self.declared)


def _features(column):
    """Return how many features a column becomes."""
    return {"number": 1, "category": len(column.get("categories") or [])}.get(column["kind"], 0)


def _listed(names):
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(repr(name) for name in names[:_SHOWN]) + more


def _numbers(values, name, column, comma, declared):
    """Return a column of numbers, float64 [n, 1], with NaN for what is missing."""
    if values.ndim != 1 or values.dtype.kind not in "buifOUT":
        raise ModelError("", f"column {name!r} is of type {values.dtype}, want numbers", "")
    if values.dtype.kind in "buif":
        values = values.astype(np.float64)
    else:
        read = (np.nan if is_missing_number(v, declared) else _number(v, i, name, comma) for i, v in enumerate(values))
        values = np.fromiter(read, np.float64, len(values))
    for word in declared:
        if is_number(word):
            values[values == float(word)] = np.nan
    if not column.get("missing") and np.isnan(values).any():
        raise _nothing(int(np.isnan(values).argmax()), name)
    return values[:, None]


def _number(value, sample, name, comma):
    if isinstance(value, str):
        text = value.strip()
        if comma and "." not in text:
            text = text.replace(",", ".", 1)
        elif comma:
            text = ""
        if is_number(text):
            return float(text)
    elif isinstance(value, (numbers.Real, np.bool_)) or hasattr(value, "as_tuple"):  # the latter: a Decimal
        return float(value)
    raise ModelError("", f"sample {sample}: column {name!r} is {_shown(value)}, want a number", "")


def _categories(values, name, column, declared):
    """Return the features of a column of categories, [n, categories]: 1 for the word of each row, none for others."""
    out = np.zeros((len(values), len(column["categories"])))
    for i, value in enumerate(values.tolist()):
        if is_missing(value, declared):
            if not column.get("missing"):
                raise _nothing(i, name)
            continue
        place = category_of(value, column["categories"])
        if place is not None:
            out[i, place] = 1
        elif not isinstance(value, str):
            raise ModelError(
                "",
                f"sample {i}: column {name!r} is {_shown(value)}, want one of {_listed(column['categories'])}",
                "give the words that the model was trained on",
            )
    return out


def _nothing(sample, name):
    return ModelError(
        "",
        f"sample {sample}: column {name!r} has no value",
        "fill it in: the model was trained without missing values (data.missing)",
    )


def is_missing(value, declared=()):
    """Report whether a value of a column is missing: None, NaN, a NaT or NA of pandas, or a text that says so."""
    if value is None:
        return True
    if isinstance(value, str):
        return value.strip().lower() in MISSING_WORDS or value.strip() in declared
    try:
        return bool(value != value)
    except TypeError:  # pandas.NA, which compares as nothing
        return True


def is_missing_number(value, declared=()):
    """Report whether a value of a column of numbers is missing."""
    return is_missing(value, declared) or isinstance(value, str) and value.strip().lower() in MISSING_NUMBERS


def is_number(text):
    """Report whether a text is a decimal number."""
    return _NUMBER.fullmatch(text) is not None


def category_of(value, words):
    """Return which of some words a value is, None if it is none: a text as it is, without spaces around it; numbers by
    their value, however the words are written; True and False also in lower or upper case. Raises ModelError where a
    number is several of them."""
    text = str(value).strip()
    if text in words:
        return words.index(text)
    if isinstance(value, str):
        return None
    places = []
    if isinstance(value, (bool, np.bool_)):
        places = [i for i, word in enumerate(words) if word.lower() == text.lower()]
    if not places and isinstance(value, (numbers.Real, np.bool_)):
        places = [i for i, word in enumerate(words) if is_number(word) and float(word) == value]
    if len(places) > 1:
        raise ModelError("", f"{text} may be {_listed([words[i] for i in places])}", "give texts")
    return places[0] if places else None


def _shown(value):
    text = repr(value)
    return text if len(text) <= 40 else text[:40] + "..."
