"""What the tests share. The environment names what the Go test beside this folder makes:

IALGN           the program, without which nothing is compared with it
IALGN_FORMS     a folder with models of every form, NAME.safetensors, each with NAME.bits.npy and NAME.counts.npy
IALGN_WRITTEN   a folder that models are written to which the Go test reads
IALGN_FIXTURES  a folder with checkpoints of other frameworks
"""

import csv
import io
import json
import os
import subprocess
import tempfile
import unittest

import numpy as np

PROGRAM = os.environ.get("IALGN")
REPOSITORY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
DIGITS = os.path.join(REPOSITORY, "internal", "dataset", "optdigits", "optdigits.tes")


class Case(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def ialgn(self, *args):
        """Run the program and return what it prints; skip the test where there is none."""
        return run_ialgn(*args)

    def equal(self, got, want):
        """Compare arrays, types of numbers aside."""
        got, want = np.asarray(got), np.asarray(want)
        self.assertEqual(got.shape, want.shape)
        if not np.array_equal(got, want):
            where = np.argwhere(got != want)[0]
            self.fail(f"element {where}: {got[tuple(where)]}, want {want[tuple(where)]}")


def run_ialgn(*args):
    if not PROGRAM:
        raise unittest.SkipTest("IALGN does not name the program")
    done = subprocess.run([PROGRAM, *args], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"ialgn {' '.join(args)}: {done.stderr}")
    return done.stdout


def predicted(model_file, samples_file, *options):
    """Return class names and numbers of each sample, by the program."""
    rows = list(csv.reader(io.StringIO(run_ialgn("predict", model_file, samples_file, "--quiet", *options))))
    return [row[1] for row in rows[1:]], np.array([row[2:] for row in rows[1:]], np.float64)


def train(folder, name, config):
    """Train a small model by the program and return its file."""
    file, out = os.path.join(folder, f"{name}.yaml"), os.path.join(folder, f"{name}.safetensors")
    with open(file, "w", encoding="utf-8") as f:
        f.write(config)
    run_ialgn("train", file, "-o", out, "--quiet")
    return out


def digits():
    """Return features [1797, 64] and labels of the digits' test set."""
    table = np.loadtxt(DIGITS, int, delimiter=",", skiprows=1)
    return table[:, :-1], table[:, -1]


def split_file(path):
    """Return the header of a model file as a dict, and its data."""
    with open(path, "rb") as file:
        raw = file.read()
    n = int.from_bytes(raw[:8], "little")
    return json.loads(raw[8 : 8 + n]), raw[8 + n :]


def join_file(path, header, data):
    """Write a file of that header, a dict or a text."""
    text = (header if isinstance(header, str) else json.dumps(header)).encode("utf-8", "surrogatepass")
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text + data)
