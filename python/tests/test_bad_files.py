"""Files that are no models: an error that says what is wrong, never a crash or an allocation beyond the file's size."""

import json
import os
import random
import tempfile
import tracemalloc

import ialgn
import numpy as np
from ialgn.frameworks import layers
from ialgn.model import Grid, Pin, Section
from support import Case, join_file, split_file

BIG = 1 << 62


def small_model():
    """Return a model with thresholds, of two layers with different numbers of pins."""
    net = layers.Network("difflogic")
    net.begin_thresholds(np.array([[0.5, 1.5], [0.25, 2]], np.float32), lambda numbers: numbers.reshape(-1))
    r = np.random.default_rng(3)
    net.dense(r.integers(0, 4, (2, 9)), r.normal(size=(9, 4)).astype(np.float32), False, "first")
    net.dense(r.integers(0, 9, (3, 6)), r.normal(size=(6, 8)).astype(np.float32), False, "second")
    net.sum = layers.Sum(3, 2.0)
    return layers.build(net)


def metadata(key, **changes):
    """Return a change of a header: other values in an object of its metadata, None taking one out."""

    def change(header):
        value = json.loads(header["__metadata__"][key])
        for name, v in changes.items():
            value[name] = v
            if v is None:
                del value[name]
        header["__metadata__"][key] = json.dumps(value)

    return change


def text(key, value):
    """Return a change of a header: another text in its metadata, or none."""

    def change(header):
        header["__metadata__"][key] = value
        if value is None:
            del header["__metadata__"][key]

    return change


def tensor(name, **changes):
    """Return a change of a tensor's line."""

    def change(header):
        header[name].update(changes)

    return change


def model_keys(**changes):
    return lambda header: metadata(
        "config", model=dict(json.loads(header["__metadata__"]["config"])["model"], **changes)
    )(header)


def section(i, **changes):
    def change(header):
        sections = json.loads(header["__metadata__"]["sections"])
        sections[i].update(changes)
        header["__metadata__"]["sections"] = json.dumps(sections)

    return change


def removed(name):
    return lambda header: header.pop(name)


def renamed(name, to):
    return lambda header: header.update({to: header.pop(name)})


def offsets(value):
    """Return a change of a header: class offsets, with the version that they need."""
    return lambda header: header["__metadata__"].update({"version": "5", "offsets": value})


def ties(value):
    """Return a change of a header: a tie order, with the version that it needs."""
    return lambda header: header["__metadata__"].update({"version": "5", "ties": value})


def calibration(**changes):
    """Return a change of a header: a calibration, in which some values are wrong."""
    right = {"samples": 5, "temperature": 1.5, "leads": [2, 0, 3], "correct": [1, 0, 3]}
    return text("calibration", json.dumps({key: v for key, v in {**right, **changes}.items() if v is not None}))


PIN, SPINE = {"source": "previous", "k": 1}, {"source": "spine", "k": 1}

# What is wrong, how the header gets it, and what the error says.
FORGED = [
    ("format", text("format", "other"), "no model of ialgn"),
    ("version", text("version", "4"), "versions 1, 2, 3, 5"),
    ("steps", text("steps", "3"), "a recurrent network"),
    ("no offsets", text("version", "5"), "offsets is missing"),
    ("offsets in an older version", text("offsets", "[0, 1, 2]"), "offsets in version 2, want version 5"),
    ("offsets' type", offsets("3"), "offsets: want a list of whole numbers from 0 to 2"),
    ("negative offset", offsets("[0, -1, 2]"), "from 0 to 2"),
    ("large offset", offsets("[0, 1, 3]"), "from 0 to 2"),
    ("few offsets", offsets("[0, 1]"), "want 3 numbers"),
    ("smallest offset", offsets("[1, 1, 2]"), "the smallest is 0"),
    ("ties in an older version", text("ties", "[1, 0, 2]"), "ties in version 2, want version 5"),
    ("ties' type", ties("3"), "ties: want a list with each of the numbers 0 to 2 once"),
    ("a class twice", ties("[1, 0, 1]"), "each of the numbers 0 to 2 once"),
    ("few classes", ties("[1, 0]"), "each of the numbers 0 to 2 once"),
    ("a truth", ties("[true, 0, 2]"), "each of the numbers 0 to 2 once"),
    ("ascending ties", ties("[0, 1, 2]"), "the order is ascending"),
    ("calibration", text("calibration", "[]"), "calibration: want an object"),
    ("calibration's key", calibration(extra=1), "unknown key extra"),
    ("no leads", calibration(leads=None), "want samples, temperature, leads and correct"),
    ("temperature", calibration(temperature=0), "temperature 0"),
    ("infinite temperature", calibration(temperature=10**400), "temperature|too large"),
    ("many leads", calibration(leads=[0, 0, 0, 5], correct=[0, 0, 0, 0]), "want 1 to 3 leads"),
    ("zero leads", calibration(leads=[5, 0], correct=[0, 0]), "the last one above 0"),
    ("correct", calibration(correct=[3, 0, 0]), "no correct one is larger"),
    ("number of correct", calibration(correct=[1]), "as many correct ones"),
    ("lead's type", calibration(leads=[True, 0, 3]), "whole numbers"),
    ("samples", calibration(samples=6), "not those of all samples"),
    ("no config", text("config", None), "config is missing"),
    ("no JSON", text("config", "{"), "metadata: config: "),
    ("NaN", text("config", '{"model": {"width": NaN}}'), "NaN is no number"),
    ("nested", text("record", "[" * 200000), "nested too deep|Expecting value"),
    ("a number of many digits", text("record", "1" * 100000), "too large"),
    ("twice", text("record", '{"a": 1, "a": 1}'), "occurs twice"),
    ("record", text("record", "[]"), "want an object"),
    ("beta", metadata("record", origin={"beta": "a"}), "origin.beta"),
    ("infinite beta", text("record", '{"origin": {"beta": 1e999}}'), "origin.beta"),
    ("classes", text("classes", "[]"), "1 to 256 names"),
    ("many classes", text("classes", json.dumps(["a"] * 257)), "1 to 256 names"),
    ("odd classes", text("classes", '["a", "b", "c", "d"]'), "cannot be split into 4"),
    ("control", text("classes", '["a", "\\u001b", "c"]'), "control characters"),
    ("surrogate", text("classes", '["a", "\\ud800", "c"]'), "control characters"),
    ("no tau", model_keys(tau=0), "tau"),
    ("tau", model_keys(tau=True), "tau"),
    ("parametrization", model_keys(parametrization="x"), "parametrization"),
    ("width", model_keys(width=3), "describes 3 x 2"),
    ("negative width", model_keys(width=-6), "want a whole number"),
    ("depth", model_keys(depth=BIG), "describes"),
    ("bits", metadata("encoder", bits=1), "outside 2..256"),
    ("large bits", metadata("encoder", bits=BIG), "outside 2..256"),
    ("bits_in", metadata("encoder", bits_in=17), "outside 1..16"),
    ("max", metadata("encoder", max=7), "outside 1..3"),
    ("no max", metadata("encoder", max=None), "outside 1..3"),
    ("max of cuts", metadata("encoder", max=3), "2 cuts give words"),
    ("encoder's key", metadata("encoder", extra=1), "unknown key extra"),
    ("names", metadata("encoder", names=["a"]), "1 feature names for 2"),
    ("names' type", metadata("encoder", names=[1]), "want texts"),
    ("column", metadata("encoder", columns=[{"kind": "other"}]), "kind 'other' is unknown"),
    ("columns", metadata("encoder", columns=[{"kind": "number"}]), "become 1 features, want 2"),
    ("categories", metadata("encoder", columns=[{"kind": "category", "categories": ["b", "a"]}]), "not in order"),
    ("labels", metadata("encoder", columns=[{"kind": "label"}] * 2 + [{"kind": "number"}] * 2), "2 columns are labels"),
    (
        "cut of a category",
        metadata("encoder", columns=[{"kind": "category", "categories": ["a", "b"]}]),
        "a category's word",
    ),
    (
        "fill",
        metadata("encoder", columns=[{"kind": "number", "fill": 1}, {"kind": "number"}]),
        "what a missing value is",
    ),
    ("sections", text("sections", "[]"), "at least one"),
    ("sections' form", text("sections", "[1]"), "want an object"),
    ("layers", section(0, layers=0), "0 layers"),
    ("many layers", section(0, layers=BIG), "describes|shape"),
    ("wide", section(0, width=1 << 31), "width 2147483648"),
    ("no pins", section(0, pins=[]), "1 to 6 pins"),
    ("pins", section(0, pins=[PIN] * 7), "1 to 6 pins"),
    ("first layer", section(0, pins=[PIN] * 2), "first layer has no previous"),
    ("spine", section(1, pins=[SPINE] * 3), "the layer before has 9 nodes"),
    ("source", section(1, pins=[{"source": "x", "k": 1}] * 3), "want one of input"),
    ("candidates", section(1, pins=[{"source": "input", "k": BIG}] * 3), "candidates"),
    ("no candidates", section(1, pins=[{"source": "input", "k": 0}] * 3), "0 candidates"),
    ("true candidates", section(1, pins=[{"source": "input", "k": True}] * 3), "has no place there"),
    ("two forms", section(0, a=PIN), "unknown key a"),
    ("tensor gone", removed("section0.ops"), "begins at byte|is missing|end at byte"),
    ("tensor renamed", renamed("section0.ops", "x"), "section0.ops is missing"),
    ("cuts renamed", renamed("encoder.cuts", "encoder.x"), "encoder.x: unknown tensor"),
    ("thresholds renamed", renamed("encoder.thresholds", "y"), "encoder.thresholds is missing"),
    ("type", tensor("section0.ops", dtype="U32"), "type U32, want F32"),
    ("unknown type", tensor("section0.ops", dtype="F16"), "type 'F16'"),
    ("type of type", tensor("section0.ops", dtype=["F32"]), "type"),
    ("shape", tensor("section0.ops", shape=[9, 2, 2]), "shape \\[9, 2, 2\\], want"),
    ("large shape", tensor("section0.ops", shape=[BIG, BIG]), "does not fit the file"),
    ("huge shape", tensor("section0.ops", shape=[1] * 4000 + [BIG]), "does not fit the file"),
    ("shape of nothing", tensor("section0.ops", shape=[0]), "does not fit the file"),
    ("negative shape", tensor("section0.ops", shape=[-9, -1, 4]), "does not fit the file"),
    ("shape of text", tensor("section0.ops", shape="9"), "does not fit the file"),
    ("offsets", tensor("section0.ops", data_offsets=[0, BIG]), "section0.ops|encoder.cuts"),
    ("negative offsets", tensor("section0.ops", data_offsets=[-8, 0]), "want two places"),
    ("one offset", tensor("section0.ops", data_offsets=[0]), "want two places"),
    (
        "unknown tensor",
        lambda header: header.update(z={"dtype": "U16", "shape": [1], "data_offsets": [BIG, BIG + 2]}),
        "begins at byte",
    ),
    ("line of a tensor", lambda header: header.update(z=1), "want dtype"),
    ("no metadata", removed("__metadata__"), "format"),
    ("metadata's type", lambda header: header.update(__metadata__={"format": 1}), "object of strings"),
]


def grid_model():
    """Return a model of one plane of 1 x 2 pixels, and of version 3: two nodes at two positions, not pooled."""
    model = small_model()
    r = np.random.default_rng(4)
    grid = dict(zip(Grid.KEYS, (1, 1, 2, 3, 1, 1, 1)))
    pins = [Pin("input", r.integers(0, 18, (3, 1, 1)).astype(np.uint16)) for _ in range(2)]
    config = json.loads(model.metadata["config"])
    config["model"].update(width=6, depth=1)
    metadata = dict(model.metadata, version="3", config=json.dumps(config))
    pin = {"source": "input", "k": 1}
    metadata["sections"] = json.dumps([{"layers": 1, "width": 3, "pins": [pin] * 2, "grid": grid}])
    section = Section(r.normal(size=(3, 1, 4)).astype(np.float32), pins, Grid(**grid))
    return ialgn.Model(metadata, model.encoder, [section])


def grid(**changes):
    def change(header):
        sections = json.loads(header["__metadata__"]["sections"])
        sections[0]["grid"].update(changes)
        header["__metadata__"]["sections"] = json.dumps(sections)

    return change


# The same of a grid.
FORGED_GRIDS = [
    ("planes", grid(planes=0), "planes 0, want 1"),
    ("other planes", grid(planes=2), "for 2 features"),
    ("huge planes", grid(planes=BIG), "planes"),
    ("huge rows", grid(rows=BIG), "rows"),
    ("negative rows", grid(rows=-1), "no place there"),
    ("columns", grid(columns=0), "columns 0"),
    ("side", grid(side=0), "side 0"),
    ("huge side", grid(side=BIG, padding=BIG - 1), "side"),
    ("side beyond the image", grid(side=5, padding=1), "no positions"),
    ("stride", grid(stride=0), "stride 0"),
    ("padding", grid(padding=3), "padding 3, want 0 to 2"),
    ("many positions", grid(side=64, padding=63), "4160 positions, more than a network"),
    ("pool", grid(pool=3), "pool 3"),
    ("too few to pool", grid(pool=2), "no positions"),
    ("text", grid(pool="2"), "no place there"),
    ("unknown", grid(dilation=1), "unknown key dilation"),
    ("field", grid(field=dict(zip(Grid.KEYS, (1, 2, 2, 3, 1, 1, 1)))), "field: an image of"),
    ("huge field", grid(field=dict(zip(Grid.KEYS, (1, 1, 2, BIG, 1, 1, 1)))), "field: side"),
    ("field of a field", grid(field=dict(zip(Grid.KEYS, (1, 1, 2, 3, 1, 1, 1)), field={})), "field: want planes"),
    ("base", grid(base=dict(zip(Grid.KEYS, (0, 1, 2, 3, 1, 1, 1)))), "base: planes 0"),
    ("another base", grid(base=dict(zip(Grid.KEYS, (1, 1, 2, 3, 1, 1, 1)))), "base is not what the lowest level"),
    ("no base", section(0, pins=[{"source": "base", "k": 1}] * 2), "source base"),
    ("no grid", section(0, grid={}), "want planes, rows"),
    ("grid's type", section(0, grid=[]), "no place there"),
    ("layers", section(0, layers=2), "2 layers of nodes"),
    ("source", section(0, pins=[PIN] * 2), "source previous of nodes that positions share"),
    ("version", text("version", "2"), "unknown key grid"),
]


class BadFilesTest(Case):
    def setUp(self):
        super().setUp()
        self.good = self.path("good.safetensors")
        small_model().save(self.good)
        self.bad = self.path("bad.safetensors")

    def refused(self, want="."):
        """Load the bad file, which must fail with little memory."""
        tracemalloc.start()
        try:
            with self.assertRaisesRegex(ialgn.ModelError, want) as caught:
                ialgn.load(self.bad)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        self.assertLess(peak, 100 * os.path.getsize(self.bad) + (1 << 20))
        self.assertEqual(caught.exception.file, self.bad)
        self.assertTrue(caught.exception.reason and caught.exception.remedy)
        str(caught.exception).encode()

    def test_forged(self):
        for name, change, want in FORGED:
            with self.subTest(name):
                header, data = split_file(self.good)
                header["__metadata__"].pop("crc32c")
                change(header)
                join_file(self.bad, header, data)
                self.refused(want)

    def test_forged_grids(self):
        grid_model().save(self.good)
        model = ialgn.load(self.good)
        self.assertEqual((model.shape, model.nodes), ((4, 6), 6))
        self.assertEqual(model.last_layer(np.zeros((5, 2))).shape, (5, 6))
        for name, change, want in FORGED_GRIDS:
            with self.subTest(name):
                header, data = split_file(self.good)
                header["__metadata__"].pop("crc32c")
                change(header)
                join_file(self.bad, header, data)
                self.refused(want)

    def test_values(self):
        """Numbers in the arrays that no model has."""
        for name, dtype, value, want in [
            ("section0.ops", "<f4", np.nan, "section0.ops: has a number that is not finite"),
            ("section0.a.wires", "<u2", 4, "section0.a.wires: index 4, want below 4"),
            ("section1.c.wires", "<u2", 65535, "section1.c.wires: index 65535, want below 9"),
            ("encoder.cuts", "<f8", np.inf, "cut 1 is no finite number"),
            ("encoder.cuts", "<f8", 1e9, "cut 1 is above the next one"),
            ("encoder.thresholds", "<u2", 3, "threshold 1 is above"),
        ]:
            with self.subTest(f"{name} {value}"):
                header, data = split_file(self.good)
                header["__metadata__"].pop("crc32c")
                data, at = bytearray(data), header[name]["data_offsets"][0]
                data[at : at + np.dtype(dtype).itemsize] = np.array(value, dtype).tobytes()
                join_file(self.bad, header, bytes(data))
                self.refused(want)

    def test_checksum(self):
        header, data = split_file(self.good)
        join_file(self.bad, json.dumps(header, separators=(",", ":")), data[:-1] + bytes([data[-1] ^ 1]))
        self.refused("checksum ........, but what the file holds has")
        for digits in ("", "0", "x" * 8, "\ud800" * 8):
            header["__metadata__"]["crc32c"] = digits
            join_file(self.bad, json.dumps(header, separators=(",", ":"), ensure_ascii=False), data)
            self.refused("crc32c is|checksum|header")

    def test_truncated(self):
        with open(self.good, "rb") as file:
            raw = file.read()
        for n in [*range(0, 300), *range(300, len(raw), 37), len(raw) - 1]:
            with open(self.bad, "wb") as file:
                file.write(raw[:n])
            self.refused()
        with open(self.bad, "wb") as file:
            file.write(raw + b"\0")
        self.refused()

    def test_changed_bytes(self):
        """A byte changed anywhere is found by the checksum or before."""
        with open(self.good, "rb") as file:
            raw = bytearray(file.read())
        r = random.Random(1)
        for _ in range(150):
            at, bit = r.randrange(len(raw)), 1 << r.randrange(8)
            if 0 <= at - raw.index(b"crc32c") < 6:
                continue  # a file without a checksum is read
            raw[at] ^= bit
            with open(self.bad, "wb") as file:
                file.write(raw)
            self.refused()
            raw[at] ^= bit

    def test_headers(self):
        """Headers that are no JSON object, or not of the length that they say."""
        for text, want in [
            ("", "header"),
            ("[]", "not a JSON object"),
            ("{}x", "Extra data"),
            ("{}\n", "bytes after"),
            ("{" * 100000, "header"),
            ('{"a":' * 100000, "nested too deep|header"),
            ("\ud800", "header"),
            ('{"a":{},"a":{}}', "occurs twice"),
            ('{"__metadata__":[]}', "object of strings"),
        ]:
            join_file(self.bad, text, b"")
            self.refused(want)
        for length in (1 << 63, BIG, 16 << 20 | 1, 9):
            with open(self.bad, "wb") as file:
                file.write(length.to_bytes(8, "little") + b"{}")
            self.refused("length")
        with open(self.bad, "wb") as file:  # as long as it says, but for no good reason
            file.write((17 << 20).to_bytes(8, "little"))
            file.truncate((17 << 20) + 8)
        self.refused("want at most")

    def test_no_files(self):
        for path, want in [
            (self.path("none"), "No such file"),
            (self.folder, "is a folder"),
            (os.devnull, "is a device"),
        ]:
            with self.assertRaisesRegex(ialgn.ModelError, want):
                ialgn.load(path)

    def test_save(self):
        """Nothing is left beside a file that cannot be written, and an older one stays."""
        model = ialgn.load(self.good)
        with self.assertRaises(ialgn.ModelError):
            model.save(self.path("none/x"))
        with self.assertRaises(ialgn.ModelError):
            model.save(self.folder)
        with tempfile.TemporaryDirectory() as folder:
            model.save(os.path.join(folder, "x"))
            self.assertEqual(os.listdir(folder), ["x"])
