"""The emitted C as a shared library, against the model and the program."""

import os
import shutil
import tempfile
import unittest

import ialgn
import numpy as np
from ialgn.shared import _macros
from support import Case, digits, run_ialgn, train

SMALL = "data: {set: digits}\nencoder: {bits: 4}\ntrain: {epochs: 2}\n"


@unittest.skipUnless(shutil.which("gcc"), "gcc is missing")
class SharedTest(Case):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.model_file = train(
            folder.name, "some", SMALL + "name: some\nmodel: {width: 100, depth: 3, anchors: 8, tau: 3}\n"
        )
        cls.design = os.path.join(folder.name, "design")
        run_ialgn("compile", cls.model_file, "-o", cls.design, "--emit", "c", "--quiet")

    def test_words(self):
        x, _ = digits()
        model, shared = ialgn.load(self.model_file), ialgn.compile_c(self.design, output=self.path("libsome.so"))
        self.assertEqual((shared.name, shared.features, shared.classes, shared.real), ("some", 64, 10, False))
        self.assertEqual(shared.class_names, model.classes)
        for samples in (x, x[:1], x[:0], x.reshape(-1, 8, 8), x.astype(float), np.tile(x, (10, 1))):
            self.equal(shared.counts(samples), model.counts(samples))
            self.equal(shared.predict(samples), model.predict(samples))
        again = ialgn.Shared(self.path("libsome.so"), os.path.join(self.design, "some.h"))
        self.equal(again.counts(x), model.counts(x))

    def test_options(self):
        """A library may be compiled with more words in a row than the header says."""
        x, _ = digits()
        for words in (1, 8):
            shared = ialgn.compile_c(
                self.design, "some", self.path(f"lib{words}.so"), options=("-O1", f"-DSOME_WORDS={words}")
            )
            self.equal(shared.counts(x), ialgn.load(self.model_file).counts(x))

    def test_core(self):
        x, _ = digits()
        folder = self.path("core")
        run_ialgn("compile", self.model_file, "-o", folder, "--emit", "c", "--scope", "core", "--quiet")
        model = ialgn.load(self.model_file)
        self.equal(ialgn.compile_c(folder).counts(model.encode(x)), model.counts(x))
        run_ialgn("compile", self.model_file, "-o", self.path("gates"), "--emit", "c", "--scope", "gates", "--quiet")
        with self.assertRaisesRegex(ialgn.ModelError, "scope full or core"):
            ialgn.compile_c(self.path("gates"))

    def test_real(self):
        r = np.random.default_rng(1)
        x = np.round(r.normal(size=(300, 4)), 4)
        lines = ["a,b,c,d,kind"] + [",".join(map(repr, row)) + f",{'pn'[row[0] < row[1]]}" for row in x.tolist()]
        with open(self.path("t.csv"), "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        model_file = train(
            self.folder,
            "real",
            f"name: real\ndata: {{set: csv, train: {self.path('t.csv')}, test_share: 0.2}}\n"
            "encoder: {bits: 8, bits_in: 12}\nmodel: {width: 20, depth: 2, anchors: 8, tau: 2}\ntrain: {epochs: 2}\n",
        )
        run_ialgn("compile", model_file, "-o", self.path("design"), "--emit", "c", "--quiet")
        model, shared = ialgn.load(model_file), ialgn.compile_c(self.path("design"))
        self.assertTrue(shared.real)
        x = np.concatenate([x, 1000 * x, x.astype(np.float32)])
        self.equal(shared.counts(x), model.counts(x))
        words = model.encoder.words(x)
        self.equal(shared.counts(words, words=True), model.counts(x))
        x[5, 2] = np.nan
        with self.assertRaisesRegex(ialgn.ModelError, "give finite numbers"):
            shared.predict(x)

    def test_uncertain(self):
        x, _ = digits()
        folder = self.path("reject")
        run_ialgn("compile", self.model_file, "-o", folder, "--emit", "c", "--reject", "3", "--quiet")
        model, shared = ialgn.load(self.model_file), ialgn.compile_c(folder)
        counts = np.sort(model.counts(x), axis=1)
        want = counts[:, -1] - counts[:, -2] < 3
        self.assertTrue(0 < want.sum() < len(want) and shared.rejects)
        self.equal(shared.uncertain(x), want)
        self.equal(shared.uncertain(x, margin=3), want)
        self.equal(model.uncertain(x, 3), want)
        self.equal(shared.counts(x), model.counts(x))
        self.assertFalse(model.uncertain(x, 1)[counts[:, -1] > counts[:, -2]].any())
        for margin in (0, -1, 1.5, None):
            with self.assertRaisesRegex(ialgn.ModelError, "whole number of at least 1"):
                model.uncertain(x, margin)
        with self.assertRaisesRegex(ialgn.ModelError, "compile with --reject"):
            ialgn.compile_c(self.design, output=self.path("libsome.so")).uncertain(x)

    def test_wrong(self):
        x, _ = digits()
        shared = ialgn.compile_c(self.design, output=self.path("libsome.so"))
        for wrong in (x + 1, x - 1, x + 0.5, x[:, 1:], x[0]):
            with self.assertRaises(ialgn.ModelError):
                shared.predict(wrong)
        for arguments, want in [
            ((self.folder,), "no C of a network"),
            ((self.path("none"),), "No such file"),
            ((self.design, "other", self.path("x.so")), "gcc fails"),
            ((self.design, "some", self.path("x.so"), "no-such-compiler"), "install a C compiler"),
            ((self.design, "some", self.path("x.so"), "gcc", ["--no-such-option"]), "gcc fails"),
        ]:
            with self.assertRaisesRegex(ialgn.ModelError, want):
                ialgn.compile_c(*arguments)
        header = os.path.join(self.design, "some.h")
        with open(self.path("libbad.so"), "wb") as file:
            file.write(b"no library")
        for arguments, want in [
            ((self.path("libbad.so"), header), "cannot be loaded"),
            ((self.path("libx.so"),), "No such file"),
            ((self.path("libsome.so"), self.path("some.txt")), "no name of a header"),
        ]:
            with self.assertRaisesRegex(ialgn.ModelError, want):
                ialgn.Shared(*arguments)
        shutil.copy(header, self.path("other.h"))
        with self.assertRaisesRegex(ialgn.ModelError, "has no size OTHER_FEATURES"):
            ialgn.Shared(self.path("libsome.so"), self.path("other.h"))


class MacrosTest(unittest.TestCase):
    def test_macros(self):
        text = "\n".join(
            f"#define N_{name} {value}"
            for name, value in [
                ("WORDS", "2"),
                ("A", "3 /* rows */"),
                ("B", "(4 * N_WORDS)"),
                ("C", "(N_B + (N_A + 1) * N_WORDS)"),
                ("D", "__import__"),
                ("E", "(1"),
                ("F", "9" * 40),
                ("G", "N_NONE"),
                ("H", "1 2"),
                ("I", "2 ** 9"),
            ]
        )
        self.assertEqual(_macros(text, "N"), {"WORDS": 8, "A": 3, "B": 32, "C": 64})
