"""An estimator of scikit-learn, which trains by calling the program `ialgn`."""

import contextlib
import csv
import inspect
import os
import re
import shutil
import subprocess
import tempfile
import warnings

import numpy as np

try:
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.utils import check_array, check_consistent_length, check_random_state, column_or_1d
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_is_fitted
except ImportError as error:
    raise ImportError(f"ialgn.Classifier needs scikit-learn ({error}); install it (Debian: python3-sklearn)") from error

from .errors import ModelError
from .modelfile import load
from .table import column_names, is_missing, is_missing_number, is_number

# How check_array is told that NaN may occur, which newer versions call by another name.
_FINITE = "ensure_all_finite"
if _FINITE not in inspect.signature(check_array).parameters:
    _FINITE = "force_all_finite"


class Classifier(ClassifierMixin, BaseEstimator):
    """A logic gate network, trained by the program `ialgn`.

    fit writes the samples to a CSV file, has `ialgn init` choose encoder, network and course of training for them, and
    trains by `ialgn train`. X is an array or a DataFrame; its columns hold numbers or, where some value is a text that
    is no number, words, each of which becomes a feature. NaN is a missing value. Labels are texts, integers or bools.

    Parameters: width (nodes of the last layer, a multiple of the number of classes), depth, bits (a feature becomes
    bits - 1 thresholds), epochs and settings, a dict of any keys of the configuration (docs/reference/config.md) with their
    values, win over what `ialgn init` chooses. random_state is the seed of training. folder keeps the table, the
    configuration and the model, for `ialgn verify --data FOLDER`; None: nothing is kept. program is the file of the
    program; None: $IALGN or else `ialgn` on the path. threads: all processors where None.

    Attributes after fit: model_ (an ialgn.Model), classes_, n_features_in_ and, of a DataFrame, feature_names_in_.
    """

    def __init__(
        self,
        width=None,
        depth=None,
        bits=None,
        epochs=None,
        settings=None,
        random_state=None,
        folder=None,
        program=None,
        threads=None,
    ):
        self.width, self.depth, self.bits, self.epochs = width, depth, bits, epochs
        self.settings, self.random_state = settings, random_state
        self.folder, self.program, self.threads = folder, program, threads

    def fit(self, X, y):
        """Train a network on samples and their labels. Raises ModelError where the program refuses them."""
        names, columns = _columns(X)
        if y is None:
            raise ValueError("fit requires y to be passed, but the target y is None")
        y = column_or_1d(y, warn=True)
        check_consistent_length(columns[0], y)
        check_classification_targets(y)
        self.classes_, index = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError("the labels are of one class, want at least two classes")
        self.n_features_in_ = len(columns)
        if names is not None:
            self.feature_names_in_ = np.array(names, object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_
        self._names = names or [f"x{i}" for i in range(len(columns))]
        with self._folder() as folder:
            self._train(folder, columns, index)
        of_class = {self.model_.class_indices([text])[0]: c for c, text in enumerate(_texts_of(self.classes_))}
        self._class_of = np.array([of_class[i] for i in range(len(self.classes_))])
        return self

    def predict(self, X):
        """Return the label of each sample."""
        samples = self._samples(X)
        return self.classes_[self._class_of[self.model_.predict(samples)]]

    def predict_proba(self, X):
        """Return the probability of each class, [n, classes], in the order of classes_."""
        samples = self._samples(X)
        return self.model_.predict_proba(samples)[:, np.argsort(self._class_of)]

    def uncertain(self, X, margin):
        """Return where the largest count leads the second largest by less than the margin, bool [n]."""
        return self.model_.uncertain(self._samples(X), margin)

    def _samples(self, X):
        """Return samples as a table for the model, checked as scikit-learn's estimators do."""
        check_is_fitted(self, "model_")
        names, columns = _columns(X)
        known = getattr(self, "feature_names_in_", None)
        title = type(self).__name__
        if known is None and names is not None:
            warnings.warn(f"X has feature names, but {title} was fitted without feature names", stacklevel=3)
        elif known is not None and names is None:
            text = f"X does not have valid feature names, but {title} was fitted with feature names"
            warnings.warn(text, stacklevel=3)
        elif known is not None and names != list(known):
            raise ValueError(_other_names(names, list(known)))
        if len(columns) != self.n_features_in_:
            raise ValueError(
                f"X has {len(columns)} features, but {title} is expecting {self.n_features_in_} features as input"
            )
        return _Frame(self._names, columns)

    @contextlib.contextmanager
    def _folder(self):
        if self.folder is not None:
            os.makedirs(self.folder, exist_ok=True)
            yield os.fspath(self.folder)
            return
        with tempfile.TemporaryDirectory(prefix="ialgn-") as folder:
            yield folder

    def _train(self, folder, columns, index):
        label = "label"
        while label in self._names:
            label += "_"
        words = [name for name, column in zip(self._names, columns) if _has_words(column)]
        texts = [_words_of(c) if name in words else _numbers_of(c) for name, c in zip(self._names, columns)]
        labels = _texts_of(self.classes_)
        rows = zip(*texts, [labels[i] for i in index])
        head = [*self._names, label]
        _write_csv(os.path.join(folder, "train.csv"), head, rows)
        # The program wants a test set, of which nothing is used here: one sample.
        _write_csv(os.path.join(folder, "test.csv"), head, [[*(t[0] for t in texts), labels[index[0]]]])
        chosen = ["init", "train.csv", "--test", "test.csv", "--label", label, "-o", "network.yaml", "--force"]
        self._call(folder, *chosen)
        with open(os.path.join(folder, "network.yaml"), encoding="utf-8") as file:
            network = file.read()
        with open(os.path.join(folder, "classifier.yaml"), "w", encoding="utf-8") as file:
            file.write(self._configuration(network, label, words))
        os.remove(os.path.join(folder, "network.yaml"))
        options = [f"--set={key}={value}" for key, value in self._settings().items()]
        options += [] if self.threads is None else ["--threads", str(self.threads)]
        self._call(folder, "train", "classifier.yaml", "-o", "classifier.safetensors", "--quiet", *options)
        self.model_ = load(os.path.join(folder, "classifier.safetensors"))

    def _configuration(self, network, label, words):
        """Return a configuration: the network that init chose for the table, of which all columns are read."""
        data = {"set": "csv", "train": "train.csv", "test": "test.csv", "label": label, "header": "yes"}
        data.update(separator="comma", missing="median")
        if words:
            data["categories"] = ",".join('"' + name.replace('"', '""') + '"' for name in words)
        lines = ["name: classifier", "data:", *(f"  {key}: {_quoted(value)}" for key, value in data.items())]
        network = network[re.search("^encoder:", network, re.M).start() :]
        if self.width is not None:
            network = re.sub("^  tau:.*\n", "", network, flags=re.M)  # its default is for the width
        return "\n".join(lines) + "\n" + network

    def _settings(self):
        settings = {
            "model.width": self.width,
            "model.depth": self.depth,
            "encoder.bits": self.bits,
            "train.epochs": self.epochs,
            "train.seed": self.random_state,
        }
        if self.random_state is not None and not isinstance(self.random_state, (int, np.integer)):
            settings["train.seed"] = check_random_state(self.random_state).randint(1 << 31)
        settings.update(self.settings or {})
        texts = {key: str(v).lower() if isinstance(v, (bool, np.bool_)) else v for key, v in settings.items()}
        return {key: value for key, value in texts.items() if value is not None}

    def _call(self, folder, *args):
        program = self.program or os.environ.get("IALGN") or shutil.which("ialgn")
        remedy = "put ialgn on the path, or name it by the parameter program or in $IALGN"
        if not program:
            raise ModelError("", "the program ialgn is not found", remedy)
        if os.path.dirname(program):
            program = os.path.abspath(program)  # it runs in another folder
        try:
            done = subprocess.run(
                [program, *args], cwd=folder, capture_output=True, encoding="utf-8", errors="replace", check=False
            )
        except OSError as error:
            raise ModelError(program, error.strerror or str(error), remedy) from None
        if done.returncode != 0:
            raise ModelError("", f"ialgn {args[0]}: {done.stderr.strip() or done.returncode}")

    # What scikit-learn asks of an estimator, in older and newer versions.

    def _more_tags(self):
        return {"allow_nan": True, "X_types": ["2darray", "string"]}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.string = True
        return tags


class _Frame:
    """Columns by their names, as class Table reads them."""

    def __init__(self, names, columns):
        self.column_names, self._columns = names, dict(zip(names, columns))

    def __getitem__(self, name):
        return self._columns[name]

    def __len__(self):
        return len(self._columns[self.column_names[0]])


def _columns(X):
    """Return the names of X's columns, None where they have none, and the columns as arrays."""
    given = column_names(X)
    if given is None:
        X = check_array(X, dtype=None, **{_FINITE: "allow-nan"})
        return None, list(X.T)
    texts = [isinstance(name, str) for name in given]
    if any(texts) and not all(texts):
        raise TypeError("Feature names are only supported if all input features have string names")
    names = [name.strip() for name in given] if all(texts) else [str(name) for name in given]
    if not names or len(set(names)) < len(names) or "" in names:
        raise ValueError(f"columns are named {names[:8]}, want at least one and different names")
    columns = [np.asarray(X[name]) for name in given]
    check_array(columns[0].reshape(-1, 1), dtype=None, **{_FINITE: False})  # at least one sample
    return (names if all(texts) else None), columns


def _other_names(names, known):
    """Return what is wrong with names of columns, as scikit-learn puts it."""
    text = "The feature names should match those that were passed during fit.\n"
    for title, some in (
        ("Feature names unseen at fit time:", sorted(set(names) - set(known))),
        ("Feature names seen at fit time, yet now missing:", sorted(set(known) - set(names))),
    ):
        if some:
            text += f"{title}\n" + "".join(f"- {name}\n" for name in some[:5]) + ("- ...\n" if len(some) > 5 else "")
    if set(names) == set(known):
        text += "Feature names must be in the same order as they were in fit.\n"
    return text


def _has_words(column):
    """Report whether a column holds words: texts, of which one is neither a number nor stands for a missing number, or
    without any number."""
    if column.dtype.kind in "buif":
        return False
    values = [v for v in column.tolist() if not is_missing(v)]
    texts = [v.strip() for v in values if isinstance(v, str)]
    words = [text for text in texts if not is_number(text)]
    return any(not is_missing_number(word) for word in words) or bool(words) and len(words) == len(values)


def _words_of(column):
    return ["" if is_missing(v) else str(v).strip() for v in column.tolist()]


def _numbers_of(column):
    def text(value):
        if is_missing_number(value):
            return ""
        return value.strip() if isinstance(value, str) else repr(float(value))

    return [text(v) for v in column.tolist()]


def _texts_of(classes):
    """Return what the program calls the classes. Whole numbers have no point."""
    texts = [str(int(c)) if isinstance(c, float) and c.is_integer() else str(c).strip() for c in classes.tolist()]
    if len(set(texts)) < len(texts):
        raise ValueError(f"labels {texts[:8]} are different only by their type or the spaces around them")
    return texts


def _write_csv(path, head, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(head)
        writer.writerows(rows)


def _quoted(text):
    return "'" + text.replace("'", "''") + "'"
