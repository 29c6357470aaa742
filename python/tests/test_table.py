"""Tables with named columns, against the program's predictions of the same rows in a file."""

import csv
import os
import pickle
import tempfile

import ialgn
import numpy as np
from ialgn.table import MISSING_NUMBERS, MISSING_WORDS, Table
from support import Case, digits, predicted, run_ialgn, train

CONFIG = """name: table
data: {{set: csv, train: {file}, label: kind, categories: 'colour,grade,on', drop: id, missing: median,
  missing_values: k.A.}}
encoder: {{bits: 6, thresholds: quantile}}
model: {{width: 30, depth: 3, anchors: 8, tau: 2}}
train: {{epochs: 3}}
"""

PLAIN = """name: plain
data: {{set: csv, train: {file}, label: kind, test_share: 0.2}}
encoder: {{bits: 6}}
model: {{width: 30, depth: 2, anchors: 8, tau: 2}}
train: {{epochs: 1}}
"""

DIGITS = """name: d
data: {set: digits}
encoder: {bits: 3}
model: {width: 20, depth: 1, anchors: 8, tau: 3}
train: {epochs: 1}
"""


class Frame:
    """The least of a DataFrame: names of columns, which may be equal, and the columns."""

    def __init__(self, columns, names=None):
        self.columns = list(columns) if names is None else names
        self._of = columns

    def __getitem__(self, name):
        return self._of[name]

    def __len__(self):
        return len(next(iter(self._of.values())))


def makers():
    """Yield what makes tables of dicts of columns."""
    yield "stand-in", Frame
    try:
        import pandas
    except ImportError:
        return
    yield "pandas", pandas.DataFrame


class TableTest(Case):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        r = np.random.default_rng(7)
        n = 200
        a, b = np.round(r.normal(size=(2, n)), 4)
        colour, grade = r.choice(["blue", "gr, een", "red"], n), r.integers(1, 4, n)
        on = r.random(n) < 0.5
        kind = np.where(a + (colour == "red") - grade + 2 > 0.4, "yes", "no")
        cls.columns = {"id": np.arange(n), "a": a, "colour": colour.astype(object), "grade": grade, "on": on, "b": b}
        cls.columns["kind"] = kind
        cls.columns["b"] = np.where(r.random(n) < 0.1, np.nan, b)
        cls.columns["colour"][r.random(n) < 0.1] = None
        cls.file, texts = os.path.join(folder.name, "table.csv"), {}
        for name, column in cls.columns.items():
            gone = [r.choice((*MISSING_WORDS, "k.A.", *MISSING_NUMBERS * (name == "b"))) for _ in range(n)]
            texts[name] = [g if v is None or v != v else str(v) for g, v in zip(gone, column.tolist())]
        with open(cls.file, "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([list(texts), *zip(*texts.values())])
        cls.model_file = train(folder.name, "table", CONFIG.format(file=cls.file))
        cls.model = ialgn.load(cls.model_file)
        with open(os.path.join(folder.name, "plain.csv"), "w", encoding="utf-8") as file:
            file.write("a,b,kind\n" + "".join(f"{x},{y},{k}\n" for x, y, k in zip(a.tolist(), b.tolist(), kind)))
        cls.plain = ialgn.load(train(folder.name, "plain", PLAIN.format(file=file.name)))
        cls.names, cls.counts = predicted(cls.model_file, cls.file)

    def test_same_as_the_program(self):
        """The columns of a table may be in any order, with the columns that training did not read or without."""
        c = self.columns
        n = len(c["a"])
        integral = np.where(c["grade"] > 1, c["grade"].astype(float), 1.0)
        one_hot = {f"colour={w}": c["colour"] == w for w in ("blue", "gr, een", "red")}
        forms = {
            "all": c,
            "reversed": dict(reversed(c.items())),
            "features alone": {k: c[k] for k in ("b", "on", "a", "grade", "colour")},
            "texts": {k: [str(v) if v == v and v is not None else "N/A" for v in c[k].tolist()] for k in c},
            "objects": {k: c[k].astype(object) for k in c},
            "spaces": {k: [f" {v} " if isinstance(v, str) else v for v in c[k].tolist()] for k in c},
            "numbers as floats": {**c, "grade": integral},
            "bools as texts": {**c, "on": c["on"].astype(str)},
            "a category by its features": {**{k: c[k] for k in c if k != "colour"}, **one_hot},
        }
        for maker, make in makers():
            for form, columns in forms.items():
                with self.subTest(maker=maker, form=form):
                    self.equal(self.model.counts(make({k: np.asarray(v) for k, v in columns.items()})), self.counts)
            numbered = make(dict(enumerate(c.values())))
            self.equal(self.model.counts(numbered), self.counts)
            self.equal(self.model.counts(make(dict(enumerate(v for k, v in c.items() if k != "kind")))), self.counts)
        structured = np.zeros(n, [("kind", "U3"), ("b", "f8"), ("a", "f8")])
        structured["a"], structured["b"] = c["a"], np.nan_to_num(c["b"])
        x = np.stack([c["a"], np.nan_to_num(c["b"])], axis=1)
        self.equal(self.plain.counts(structured), self.plain.counts(x))

    def test_refused(self):
        c = self.columns

        def with_value(name, value):
            return {**c, name: np.array([value, *c[name].tolist()[1:]], object)}

        def without(*names):
            return {k: v for k, v in c.items() if k not in names}

        cases = {
            "missing": (without("b", "on"), "lacks 'on', 'b'"),
            "unknown": ({**c, "x": c["a"]}, "has 'x', unknown to the model"),
            "renamed": ({**without("a"), "A": c["a"]}, "lacks 'a'; it has 'A', unknown"),
            "numbers out of order": (dict(zip([1, 0, 2, 3, 4, 5, 6], c.values())), "lacks 'a', 'colour'"),
            "too few numbered": (dict(enumerate(list(c.values())[:4])), "4 columns without names, .* wants 5, 6, 7"),
            "a part of a category": ({**without("colour"), "colour=red": c["a"]}, "lacks 'colour=blue', 'colour=gr"),
            "an infinite number": (with_value("a", np.inf), "not a finite number"),
            "no number": (with_value("a", "two"), "sample 0: column 'a' is 'two', want a number"),
            "underscores": (with_value("a", "1_000"), "want a number"),
            "a date": ({**c, "a": np.full(len(c["a"]), "2024-01-01", "M8[D]")}, "column 'a' is of type datetime64"),
            "a number for words": (with_value("colour", 2), "column 'colour' is 2, want one of 'blue'"),
        }
        for maker, make in makers():
            for case, (columns, want) in cases.items():
                with self.subTest(maker=maker, case=case), self.assertRaisesRegex(ialgn.ModelError, want):
                    self.model.predict(make(columns))
        with self.assertRaisesRegex(ialgn.ModelError, "two columns 'a'"):
            self.model.predict(Frame(c, [*c, "a"]))
        with self.assertRaisesRegex(ialgn.ModelError, "input bits"):
            self.model.predict(Frame(c), encoded=True)
        with self.assertRaisesRegex(ialgn.ModelError, "give it to the model"):
            self.model.encoder.encode(Frame(c))
        gone = {"a": np.array([0.5, np.nan]), "b": np.zeros(2)}
        with self.assertRaisesRegex(ialgn.ModelError, "sample 1: column 'a' has no value"):
            self.plain.predict(Frame(gone))

    def test_unknown_word(self):
        """A word that training has not seen is none of the category's, as the program reads it."""
        c = {k: v[:1].copy() for k, v in self.columns.items()}
        c["colour"] = np.array(["pink"], object)
        want = c.copy()
        want["colour"] = np.array([None], object)
        self.equal(self.model.counts(Frame(c)), self.model.counts(Frame(want)))

    def test_declared_missing(self):
        """Words that the configuration declares to say that a value is missing, and numbers that are equal to one."""
        columns = [
            {"kind": "number", "name": "a", "missing": True},
            {"kind": "category", "name": "b", "categories": ["x"], "missing": True},
        ]
        table = Table(["a", "b=x"], columns, declared=["k.A.", "-999"])
        got = table.values(Frame({"b": np.array(["x", " k.A. ", "y"]), "a": np.array([1.0, -999, 2])}))
        self.equal(np.nan_to_num(got, nan=-1), [[1, 1], [-1, 0], [2, 0]])
        got = table.values(Frame({"b": np.array(["x"] * 3), "a": np.array(["k.A.", "-999.0", "3"], object)}))
        self.equal(np.nan_to_num(got[:, 0], nan=-1), [-1, -1, 3])

    def test_words(self):
        """Feature words are columns by the features' names."""
        x, _ = digits()
        model = ialgn.load(train(self.folder, "d", DIGITS))
        frame = Frame({name: x[:, f] for f, name in reversed(list(enumerate(model.features)))})
        for words in (False, True):
            self.equal(model.counts(frame, words=words), model.counts(x))
        words = self.model.encoder.words(self.model._table.values(Frame(self.columns)))
        frame = Frame(dict(zip(self.model.features, words.T)))
        self.equal(self.model.counts(frame, words=True), self.counts)

    def test_names_and_score(self):
        frame, kind = Frame(self.columns), self.columns["kind"]
        self.assertEqual(self.model.predict_names(frame).tolist(), self.names)
        share = (np.array(self.names) == kind).mean()
        for labels in (kind, kind.astype(object), [["no", "yes"].index(k) for k in kind]):
            self.assertAlmostEqual(self.model.score(frame, labels), share)
        for wrong in (kind[1:], ["maybe"] * len(kind), [2] * len(kind), [[0]]):
            with self.assertRaises(ialgn.ModelError):
                self.model.score(frame, wrong)
        numbered = pickle.loads(pickle.dumps(self.model))
        numbered._classes = ("1", "2")
        with self.assertRaisesRegex(ialgn.ModelError, "the label 0 is none of the classes"):
            numbered.score(frame, [0] * len(kind))

    def test_probabilities(self):
        _, scores = predicted(self.model_file, self.file, "--scores")
        powers = np.exp(scores)
        got = self.model.predict_proba(Frame(self.columns))
        np.testing.assert_allclose(got, powers / powers.sum(axis=1, keepdims=True), rtol=1e-5)
        again = pickle.loads(pickle.dumps(self.model))
        self.equal(again.predict_proba(Frame(self.columns)), got)

    def test_emitted_c(self):
        """The emitted C takes tables by the names in NAME.json."""
        run_ialgn("compile", self.model_file, "-o", self.path("design"), "--emit", "c", "--quiet")
        shared = ialgn.compile_c(self.path("design"), options=("-O0",))
        self.equal(shared.counts(Frame(dict(reversed(self.columns.items())))), self.counts)
        n = len(self.columns["b"])
        gone = [Frame({**self.columns, "b": np.full(n, b, object)}) for b in ("k.A.", "#N/A", None)]
        self.equal(shared.counts(gone[0]), shared.counts(gone[2]))
        self.equal(shared.counts(gone[1]), shared.counts(gone[2]))
        os.remove(os.path.join(self.path("design"), f"{shared.name}.json"))
        with self.assertRaisesRegex(ialgn.ModelError, "array is wanted"):
            ialgn.Shared(os.path.join(self.path("design"), f"lib{shared.name}.so")).predict(Frame(self.columns))
