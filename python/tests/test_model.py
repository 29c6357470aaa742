"""Models of every kind against the program's own words."""

import glob
import os
import tempfile
import unittest

import ialgn
import numpy as np
from ialgn.crc32c import crc32c
from support import Case, digits, predicted, run_ialgn, train

SMALL = "data: {set: digits}\nencoder: {bits: 6}\ntrain: {epochs: 2}\n"

CONFIGS = {
    "gates": SMALL + "name: gates\nmodel: {width: 120, depth: 4, anchors: 8, tau: 3}\n",
    "light": SMALL + "name: light\nmodel: {width: 60, depth: 3, anchors: 4, tau: 3, parametrization: light}\n",
    "hidden": SMALL + "name: hidden\nmodel: {width: 60, depth: 3, anchors: 4, hidden: 4, tau: 3}\n",
    "layered": SMALL
    + "name: layered\nmodel: {topology: layered, widths: '90,60', inputs: 6, anchors: 6, hidden: 3, tau: 3}\n",
    "tree": SMALL
    + "name: tree\nmodel: {topology: tree, width: 20, depth: 2, inputs: 4, leaves: 2, anchors: 4, tau: 3}\n",
    "rwlgn": SMALL + "name: rwlgn\nmodel: {topology: rwlgn, width: 50, depth: 3, tau: 3}\n",
}

TABLE = """name: table
data: {{set: csv, train: {file}, label: kind, test_share: 0.2, categories: colour, missing: median}}
encoder: {{bits: 6, thresholds: quantile}}
model: {{width: 30, depth: 3, anchors: 8, tau: 2}}
train: {{epochs: 3}}
"""


class ModelTest(Case):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.models = {name: train(folder.name, name, config) for name, config in CONFIGS.items()}

    def test_counts(self):
        x, _ = digits()
        file = self.path("x.npy")
        np.save(file, x.astype(np.uint8))
        for name, model_file in self.models.items():
            with self.subTest(name):
                model = ialgn.load(model_file)
                classes, counts = predicted(model_file, file)
                self.equal(model.counts(x), counts)
                self.assertEqual([model.classes[c] for c in model.predict(x)], classes)
                _, scores = predicted(model_file, file, "--scores")
                self.equal(model.scores(x), scores.astype(np.float32))
                _, probabilities = predicted(model_file, file, "--probabilities")
                self.assertLess(np.abs(model.predict_proba(x) / probabilities - 1).max(), 1e-6)

    def test_ties(self):
        x, _ = digits()
        model = ialgn.load(self.models["tree"])
        counts = model.counts(x)
        tied = (counts == counts.max(axis=1)[:, None]).sum(axis=1) > 1
        self.assertGreater(tied.sum(), 10)
        self.equal(model.predict(x)[tied], [list(row).index(max(row)) for row in counts[tied]])

    def test_accuracy(self):
        x, y = digits()
        right = (ialgn.load(self.models["gates"]).predict(x) == y).sum()
        self.assertIn(f"{right} of 1797 correct", run_ialgn("eval", self.models["gates"], "--quiet"))

    def test_same_bytes(self):
        for name, file in self.models.items():
            with self.subTest(name):
                ialgn.load(file).save(self.path("again"))
                self.assertEqual(read(self.path("again")), read(file))

    def test_checkpoint(self):
        """Of a checkpoint the model is read, and written as the program writes models."""
        file = self.models["gates"]
        ialgn.load(file + ".checkpoint").save(self.path("model"))
        ialgn.load(self.path("model")).save(self.path("again"))
        self.assertEqual(read(self.path("model")), read(self.path("again")))
        x, _ = digits()
        self.assertEqual(ialgn.load(self.path("model")).counts(x).shape, (1797, 10))

    def test_properties(self):
        model = ialgn.load(self.models["layered"])
        self.assertEqual(model.classes, tuple("0123456789"))
        self.assertEqual((model.features[0], len(model.features)), ("pixel 0", 64))
        self.assertEqual((model.shape, model.nodes, model.tau, model.beta), ((320, 90, 60), 150, 3, 0))
        self.assertEqual(repr(model), "<ialgn.Model 'layered': 320 -> 90 -> 60; 10 classes>")

    def test_forms_of_samples(self):
        """Samples may be of any type and shape, and words or input bits if that is said."""
        x, _ = digits()
        model = ialgn.load(self.models["gates"])
        want = model.counts(x)
        for same in (x.astype(np.float32), x.astype(np.uint8), x.reshape(-1, 8, 8), x.tolist()):
            self.equal(model.counts(same), want)
        self.equal(model.counts(x, words=True), want)
        bits = model.encode(x)
        self.assertEqual((bits.dtype, bits.shape), (np.dtype(bool), (1797, 320)))
        self.equal(model.counts(bits, encoded=True), want)
        last = model.last_layer(x)
        self.equal(last.reshape(1797, 10, -1).sum(axis=2), want)
        self.assertEqual(model.counts(x[:0]).shape, (0, 10))
        self.equal(model.counts(np.tile(x, (10, 1)))[-1797:], want)  # more samples than one pass has

    def test_wrong_samples(self):
        model = ialgn.load(self.models["gates"])
        x = np.zeros((2, 64))
        for value, want in (
            (17, "want an integer of 0 to 16"),
            (-1, "want an integer"),
            (0.5, "want an integer"),
            (np.nan, "want an integer"),
            (np.inf, "want an integer"),
        ):
            wrong = x.copy()
            wrong[1, 3] = value
            with self.assertRaisesRegex(ialgn.ModelError, f"sample 1: feature 3 is .*{want}"):
                model.predict(wrong)
        for wrong in (x[:, 1:], x[0], np.zeros(()), np.array([["a"] * 64])):
            with self.assertRaises(ialgn.ModelError):
                model.predict(wrong)
        with self.assertRaisesRegex(ialgn.ModelError, "want bool"):
            model.predict(x, encoded=True)


class TableTest(Case):
    """Real values, words and missing values, which become words by scales."""

    def setUp(self):
        super().setUp()
        r = np.random.default_rng(5)
        n = 400
        self.numbers = np.round(r.normal(size=(n, 3)) * [1, 100, 1e-3], 5)
        self.numbers[:, 2] = np.round(r.normal(size=n) * 1e-3, 6)
        self.missing = r.random(n) < 0.1
        self.colours = r.choice(["blue", "green", "red"], n)
        kinds = np.where(self.numbers[:, 0] + (self.colours == "red") > 0.4, "yes", "no")
        lines = ["a,b,colour,c,kind"]
        for (a, b, c), gone, colour, kind in zip(self.numbers.tolist(), self.missing, self.colours, kinds):
            lines.append(f"{a!r},{'NA' if gone else repr(b)},{colour},{c!r},{kind}")
        self.csv = self.path("table.csv")
        with open(self.csv, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        self.model_file = train(self.folder, "table", TABLE.format(file=self.csv))

    def test_table(self):
        model = ialgn.load(self.model_file)
        a, b, c = self.numbers.T
        columns = {"a": a, "b": np.where(self.missing, np.nan, b), "c": c}
        x = []
        for name in model.features:
            word = next((w for w in ("blue", "green", "red") if w in name), None)
            x.append(columns[name] if word is None else self.colours == word)
        x = np.array(x, float).T
        classes, counts = predicted(self.model_file, self.csv)
        self.equal(model.counts(x), counts)
        self.assertEqual([model.classes[c] for c in model.predict(x)], classes)
        model.save(self.path("again"))
        self.assertEqual(read(self.path("again")), read(self.model_file))
        x[7, model.features.index("a")] = np.inf
        with self.assertRaisesRegex(ialgn.ModelError, "sample 7: feature 0 is not a finite number"):
            model.predict(x)

    def test_quantiser(self):
        """Words are rounded halves away from zero and stay within their range."""
        e = ialgn.load(self.model_file).encoder
        f = [f for f in range(e.features) if e.scale[f] > 0][0]
        scale, offset = e.scale[f], e.offset[f]
        for value in [offset + k / 2 / scale for k in range(-3, 2 * e.max + 4)] + [1e300, -1e300, offset]:
            x = np.zeros((1, e.features))
            x[0, f] = value
            with np.errstate(over="ignore"):
                v = (x[0, f] - offset) * scale
            want = 0 if not v > 0 else e.max if v >= e.max else int(v) + (v - int(v) >= 0.5)
            self.assertEqual(e.words(x)[0, f], want)


class FormsTest(Case):
    """Models of every form, with bits and counts as the trainer's forward pass has them."""

    def test_forms(self):
        folder = os.environ.get("IALGN_FORMS")
        if not folder:
            self.skipTest("IALGN_FORMS names no folder of models")
        files = sorted(glob.glob(os.path.join(folder, "*.safetensors")))
        self.assertGreater(len(files), 10)
        for file in files:
            with self.subTest(os.path.basename(file)):
                model = ialgn.load(file)
                bits, counts = (np.load(file.replace(".safetensors", end)) for end in (".bits.npy", ".counts.npy"))
                self.equal(model.counts(bits > 0, encoded=True), counts)
                fixed = np.load(file.replace(".safetensors", ".probabilities.npy"))
                self.equal(model.predict_proba_fixed(bits > 0, encoded=True), fixed)
                self.assertLess(np.abs(model.predict_proba(bits > 0, encoded=True) - fixed / 65536).max(), 2**-15)
                model.save(self.path("again"))
                self.assertEqual(read(self.path("again")), read(file))


class ChecksumTest(unittest.TestCase):
    def test_known(self):
        self.assertEqual(crc32c(np.frombuffer(b"123456789", np.uint8)), 0xE3069283)
        self.assertEqual(crc32c(np.zeros(0, np.uint8)), 0)

    def test_lengths(self):
        """Lanes and what is left of them give what a loop over bytes gives, at once or in parts."""
        data = np.random.default_rng(1).integers(0, 256, 70000, dtype=np.uint8)
        for n in (1, 1025, 48 * 1024 - 1, 48 * 1024, 48 * 1024 + 1, 51 * 1024 + 7, 70000):
            want = 0
            for i in range(0, n, 1000):  # shorter than a lane
                want = crc32c(data[i : min(i + 1000, n)], want)
            self.assertEqual(crc32c(data[:n]), want)


def read(path):
    with open(path, "rb") as file:
        return file.read()


if __name__ == "__main__":
    unittest.main()
