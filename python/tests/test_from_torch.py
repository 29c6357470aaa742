"""Networks of other frameworks, against forward passes that are written out here, with stand-ins for their classes.

The stand-ins have the names and attributes that modules of difflogic, torchlogix and torch_dwn have, so that no torch
is needed. test_fixtures has the frameworks' own checkpoints and scores.
"""

import json
import os

import ialgn
import numpy as np
from ialgn.frameworks.layers import cuts, number
from support import Case, predicted

f4 = np.float32


class Module:
    """A stand-in for torch.nn.Module: parts by name, and attributes."""

    def __init__(self, *parts, **attributes):
        self._modules = {str(i): part for i, part in enumerate(parts)}
        self.__dict__.update(attributes)


def kind(name, base=Module):
    return type(name, (base,), {})


Sequential, Flatten, GroupSum, LogicLayer = map(kind, ("Sequential", "Flatten", "GroupSum", "LogicLayer"))
LogicDense, LogicConv2d, OrPooling2d, LUTLayer = map(kind, ("LogicDense", "LogicConv2d", "OrPooling2d", "LUTLayer"))
FixedBinarization, LearnableBinarization = map(kind, ("FixedBinarization", "LearnableBinarization"))
Parametrization = {form: kind(f"{form.capitalize()}LUTParametrization") for form in ("raw", "light", "warp")}
Tensor = type(
    "Tensor",
    (),
    {  # what the package asks of a tensor
        "__init__": lambda self, a: setattr(self, "a", a),
        "detach": lambda self: self,
        "cpu": lambda self: self,
        "numpy": lambda self: self.a,
        "shape": property(lambda self: self.a.shape),
    },
)


def operation(i, a, b):
    return [
        0 & a,
        a & b,
        a & ~b,
        a,
        ~a & b,
        b,
        a ^ b,
        a | b,
        ~(a | b),
        ~(a ^ b),
        ~b,
        a | ~b,
        ~a,
        ~a | b,
        ~(a & b),
        1 | a,
    ][i] & 1


def table(weight, form):
    """Return the lines of a node's table."""
    n = len(weight)
    if form == "raw":
        return [operation(int(np.argmax(weight)), line >> 1, line & 1) for line in range(4)]
    if form == "light":
        return [int(w > 0) for w in weight]
    return [int(sum(w * (-1) ** bin(s & line).count("1") for s, w in enumerate(weight)) < 0) for line in range(n)]


def dense(h, indices, weight, form):
    """Return the outputs of a layer, [n, nodes], the first input of a node being the highest digit."""
    out = np.zeros((len(h), len(weight)), int)
    for node, w in enumerate(weight):
        lines = np.array(table(w, form))
        address = np.zeros(len(h), int)
        for row in indices:
            address = 2 * address + h[:, row[node]]
        out[:, node] = lines[address]
    return out


def scores(h, k, tau, beta=0.0):
    return (h.reshape(len(h), k, -1).sum(axis=2).astype(f4) + f4(beta)) / f4(tau)


def draw(seed):
    return np.random.default_rng(seed)


def logic_dense(r, inputs, outputs, form, pins):
    entries = 16 if form == "raw" else 1 << pins
    weight = r.normal(size=(outputs, entries)).astype(f4)
    weight.reshape(-1)[::7] = 0
    return LogicDense(
        weight=Tensor(weight),
        in_dim=inputs,
        parametrization=Parametrization[form](),
        connections=Module(indices=Tensor(r.integers(0, inputs, (pins, outputs)))),
    )


class FromTorchTest(Case):
    def same(self, model, x, want, name=None):
        """Compare scores, of the model, of one that was read from its file, and of the program."""
        self.equal(model.scores(x), want)
        file = self.path("model.safetensors")
        model.save(file)
        self.equal(ialgn.load(file).scores(x), want)
        written = os.environ.get("IALGN_WRITTEN")
        if written and name:
            model.save(os.path.join(written, f"{name}.safetensors"))
        samples = self.path("x.npy")
        np.save(samples, np.ascontiguousarray(x.reshape(len(x), -1)))
        if os.environ.get("IALGN"):
            self.equal(predicted(file, samples, "--scores")[1].astype(f4), want)

    def test_difflogic(self):
        r, x = draw(1), draw(2).integers(0, 2, (200, 20)).astype(np.uint8)
        layers, h, before = [], x.astype(int), 20
        for width in (30, 24, 24):
            weights, wires = r.normal(size=(width, 16)), r.integers(0, before, (2, width))
            weights[:4] = np.round(weights[:4])  # some are equal, of which the first is the largest
            layers.append(
                LogicLayer(weights=Tensor(weights), indices=(Tensor(wires[0]), Tensor(wires[1])), in_dim=before)
            )
            h, before = dense(h, wires, weights, "raw"), width
        net = Sequential(Flatten(), *layers, GroupSum(k=4, tau=3.3))
        want = scores(h, 4, 3.3)
        self.same(ialgn.from_torch(net), x, want, "difflogic")
        state = {f"{i + 1}.weights": layer.weights for i, layer in enumerate(layers)}
        wiring = [[wires.a.tolist() for wires in layer.indices] for layer in layers]
        model = ialgn.from_torch(state, k=4, tau=3.3, wiring=wiring, facts={"in_dim": 20}, classes=["a", "b", "c", "d"])
        self.same(model, x, want)
        self.assertEqual(model.classes, ("a", "b", "c", "d"))
        self.assertEqual(model.shape, (20, 30, 24, 24))
        for arguments, what in [
            ({"k": 4, "tau": 1}, "wiring"),
            ({"k": 4, "wiring": wiring, "facts": {"in_dim": 20}}, "tau"),
            ({"tau": 4, "wiring": wiring, "facts": {"in_dim": 20}}, "k: "),
            ({"k": 4, "tau": 1, "wiring": wiring}, "number of input bits"),
            ({"k": 5, "tau": 1, "wiring": wiring, "facts": {"in_dim": 20}}, "24 bits cannot be split into 5"),
            ({"k": 4, "tau": 1, "wiring": wiring[1:], "facts": {"in_dim": 20}}, "wiring of 2 layers"),
            ({"k": 4, "tau": 1, "wiring": wiring, "facts": {"in_dim": 5}}, "reads bit"),
            ({"k": 4, "tau": -1, "wiring": wiring, "facts": {"in_dim": 20}}, "tau is -1"),
            ({"k": 4, "tau": 1, "wiring": wiring, "facts": {"in_dim": 20}, "classes": ["a"]}, "1 names of 4"),
        ]:
            with self.assertRaisesRegex(ialgn.ModelError, what):
                ialgn.from_torch(state, **arguments)

    def test_unknown_wires(self):
        """Wires of -1 are those that a gate does not read."""
        weights = np.eye(16, dtype=f4)
        wires = np.array([[0] * 16, [1] * 16])
        want = dense(np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), wires, weights, "raw")
        unread = wires.copy()
        unread[0, [0, 5, 10, 15]] = -1
        unread[1, [0, 3, 12, 15]] = -1
        state = {"0.weights": weights}
        model = ialgn.from_torch(state, k=16, tau=1, wiring=[unread.tolist()], facts={"in_dim": 2})
        self.equal(model.counts(np.array([[0, 0], [0, 1], [1, 0], [1, 1]])), want)
        for row, gate in ((0, 1), (1, 1), (0, 12), (1, 10), (0, 13), (1, 4)):
            wrong = wires.copy()
            wrong[row, gate] = -1
            with self.assertRaisesRegex(ialgn.ModelError, "lacks a wire that a gate reads"):
                ialgn.from_torch(state, k=16, tau=1, wiring=[wrong.tolist()], facts={"in_dim": 2})

    def test_precision(self):
        """What single precision would change is kept: doubles that are equal or 0 in it."""
        weights = np.zeros((2, 16))
        weights[0, 3], weights[0, 9] = 1, 1 + 1e-12
        model = ialgn.from_torch({"0.weights": weights}, k=2, tau=1, wiring=[[[0, 0], [1, 1]]], facts={"in_dim": 2})
        self.equal(model.counts(np.array([[1, 0], [0, 0]])), [[0, 0], [1, 0]])
        luts = np.array([[1e-60, -1e-60, 0, -0.0], [-1, 1e-300, -1, 1]])
        model = ialgn.from_torch(
            {"0.luts": luts, "0.mapping": np.array([[0, 1], [1, 0]], np.int32)}, k=2, tau=1, facts={"in_dim": 2}
        )
        self.equal(model.counts(np.array([[0, 0], [1, 0], [0, 1], [1, 1]])), [[1, 0], [0, 0], [0, 1], [0, 1]])

    def test_dense(self):
        """Every parametrization, with tables of several sizes, learnt wires, and thresholds in any order."""
        for seed, (form, pins) in enumerate(
            [("raw", 2), ("light", 2), ("warp", 2), ("light", 4), ("warp", 6), ("light", 1)]
        ):
            with self.subTest(f"{form} {pins}"):
                r = draw(seed)
                thresholds = r.normal(size=(7, 3)).astype(f4)
                thresholds[2] = thresholds[2, 0]
                x = np.concatenate([r.normal(size=(150, 7)), np.tile(thresholds[:, 1], (2, 1))])
                x[150] = np.nextafter(x[150], 9)
                h = (x.astype(f4)[:, :, None] > thresholds).reshape(len(x), -1).astype(int)
                layers = [logic_dense(r, 21, 25, form, pins), logic_dense(r, 25, 20, form, pins)]
                choice = r.normal(size=(5, pins, 20)).round(1)
                candidates = r.integers(0, 25, (5, pins, 20))
                layers[1].connections = Module(indices=Tensor(candidates), weights=Tensor(choice))
                chosen = np.take_along_axis(candidates, choice.argmax(axis=0)[None], 0)[0]
                h = dense(h, layers[0].connections.indices.a, layers[0].weight.a, form)
                h = dense(h, chosen, layers[1].weight.a, form)
                binary = FixedBinarization(thresholds=Tensor(thresholds), feature_dim=-2)
                net = Sequential(binary, Flatten(), *layers, GroupSum(k=5, tau=0.7, beta=-1.25))
                want = scores(h, 5, 0.7, -1.25)
                self.same(ialgn.from_torch(net), x, want, f"{form}-{pins}")
                state = {
                    "0.thresholds": binary.thresholds,
                    "2.weight": layers[0].weight,
                    "3.weight": layers[1].weight,
                    "2.connections.indices": layers[0].connections.indices,
                    "3.connections.indices": Tensor(candidates),
                    "3.connections.weights": Tensor(choice),
                }
                facts = {} if form == "raw" else {"parametrization": form}
                for prefix in ("", "_orig_mod."):
                    prefixed = {prefix + key: value for key, value in state.items()}
                    self.equal(ialgn.from_torch(prefixed, k=5, tau=0.7, beta=-1.25, facts=facts).scores(x), want)
                if form != "raw":
                    with self.assertRaisesRegex(ialgn.ModelError, "does not tell light from warp"):
                        ialgn.from_torch(state, k=5, tau=0.7)

    def test_learnt_thresholds(self):
        """They are sums of steps, which may fall."""
        r = draw(3)
        steps = np.array([[0.5, -0.75, 0.5], [0.1, 0.1, 0.1]], f4)
        thresholds = np.cumsum(steps.astype(np.float64), axis=-1).astype(f4)
        x = r.uniform(-1, 1, (100, 2)).astype(f4)
        h = (x[:, :, None] > thresholds).reshape(100, -1).astype(int)
        layer = logic_dense(r, 6, 6, "light", 3)
        net = Sequential(
            LearnableBinarization(thresholds=Tensor(np.zeros((2, 3), f4)), raw_diffs=Tensor(steps), feature_dim=-2),
            Flatten(),
            layer,
            GroupSum(k=3, tau=2, beta=0.0),
        )
        want = scores(dense(h, layer.connections.indices.a, layer.weight.a, "light"), 3, 2)
        self.same(ialgn.from_torch(net), x, want, "learnt-thresholds")

    def conv(self, r, channels, in_dim, kernels, depth, pins, padding, stride, form, field=2):
        """Return a convolution, and a function that computes it."""
        rows, columns = ((d + 2 * padding - field) // stride + 1 for d in in_dim)
        leaves = pins ** (depth - 1)
        index = np.zeros((pins, kernels, rows * columns, leaves, 3), int)
        tap = np.stack(
            [
                r.integers(0, field, (pins, kernels, leaves)),
                r.integers(0, field, (pins, kernels, leaves)),
                r.integers(0, channels, (pins, kernels, leaves)),
            ],
            axis=-1,
        )
        for p in range(rows * columns):
            index[:, :, p] = tap + [p // columns * stride, p % columns * stride, 0]
        weights = [
            r.normal(size=(pins ** (depth - 1 - level), kernels, 16 if form == "raw" else 1 << pins)).astype(f4)
            for level in range(depth)
        ]
        module = LogicConv2d(
            tree_weights=list(map(Tensor, weights)),
            connections=Module(_indices_L0=Tensor(index)),
            parametrization=Parametrization[form](),
            in_dim=in_dim,
            channels=channels,
            padding=padding,
            kernel_positions=(rows, columns),
        )

        def forward(h):
            h = np.pad(h, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
            out = np.zeros((len(h), kernels, rows, columns), int)
            for kernel in range(kernels):
                for p in range(rows * columns):
                    v = [h[:, i[2], i[0], i[1]] for i in index[:, kernel, p].transpose(1, 0, 2).reshape(-1, 3)]
                    for weight in weights:
                        v = [
                            dense(
                                np.stack(v[s * pins : (s + 1) * pins], 1),
                                [[i] for i in range(pins)],
                                weight[s : s + 1, kernel],
                                form,
                            )[:, 0]
                            for s in range(len(weight))
                        ]
                    out[:, kernel, p // columns, p % columns] = v[0]
            return out

        return module, forward

    def pool(self, kernel, stride, padding):
        def forward(h):
            h = np.pad(h, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
            rows, columns = ((n - kernel) // stride + 1 for n in h.shape[2:])
            return np.array(
                [
                    [
                        h[:, :, i * stride : i * stride + kernel, j * stride : j * stride + kernel].max(axis=(2, 3))
                        for j in range(columns)
                    ]
                    for i in range(rows)
                ]
            ).transpose(2, 3, 0, 1)

        return OrPooling2d(kernel_size=kernel, stride=stride, padding=padding), forward

    def test_convolution(self):
        """Trees at every place, padding, strides, windows that one node holds and larger ones, on images."""
        for seed, (form, pins, padding, stride, window) in enumerate(
            [
                ("raw", 2, 1, 1, (2, 2, 0)),
                ("light", 3, 0, 1, (3, 2, 1)),
                ("warp", 2, 1, 2, (2, 2, 1)),
                ("light", 4, 2, 2, (3, 1, 2)),
            ]
        ):
            with self.subTest(f"{form} {pins}"):
                r = draw(10 + seed)
                thresholds = np.sort(r.normal(size=(2, 2)).astype(f4))[:, ::-1]
                x = r.normal(size=(60, 2, 5, 6)).astype(f4)
                h = (x[:, :, None] > thresholds.reshape(1, 2, 2, 1, 1)).reshape(60, 4, 5, 6).astype(int)  # channel, bit
                conv, forward = self.conv(r, 4, (5, 6), 3, 2, pins, padding, stride, form)
                pool, reduce = self.pool(*window)
                h = reduce(forward(h)).reshape(60, -1)
                last = logic_dense(r, h.shape[1], 12, form, pins)
                want = scores(dense(h, last.connections.indices.a, last.weight.a, form), 3, 1.5, 0.5)
                net = Sequential(
                    FixedBinarization(thresholds=Tensor(thresholds), feature_dim=1),
                    Sequential(conv, pool),
                    Flatten(),
                    last,
                    GroupSum(k=3, tau=1.5, beta=0.5),
                )
                self.same(ialgn.from_torch(net), x, want, f"conv-{form}-{pins}")
                bits = Sequential(conv, pool, Flatten(), last, GroupSum(k=3, tau=1.5, beta=0.5))
                shaped = r.integers(0, 2, (60, 4, 5, 6))
                g = reduce(forward(shaped)).reshape(60, -1)
                self.same(
                    ialgn.from_torch(bits),
                    shaped.astype(np.uint8),
                    scores(dense(g, last.connections.indices.a, last.weight.a, form), 3, 1.5, 0.5),
                )
                ends = Sequential(conv, pool, Flatten(), GroupSum(k=3, tau=1.5, beta=0.5))  # a sum of what is pooled
                self.equal(ialgn.from_torch(ends).scores(shaped), scores(g, 3, 1.5, 0.5))

    def test_image_dense(self):
        """Bits of an image stand channel by channel, or feature by feature."""
        r = draw(20)
        thresholds = r.normal(size=(2, 3)).astype(f4)
        x = r.normal(size=(50, 2, 2, 3)).astype(f4)
        b = x[..., None] > thresholds.reshape(1, 2, 1, 1, 3)
        layer = logic_dense(r, 36, 10, "light", 4)
        for dim, h in ((1, np.moveaxis(b, -1, 2)), (-2, b)):
            want = scores(
                dense(h.reshape(50, -1).astype(int), layer.connections.indices.a, layer.weight.a, "light"), 5, 1
            )
            net = Sequential(
                FixedBinarization(thresholds=Tensor(thresholds), feature_dim=dim),
                Flatten(),
                layer,
                GroupSum(k=5, tau=1, beta=0.0),
            )
            self.same(ialgn.from_torch(net), x, want)
        net = Sequential(
            FixedBinarization(thresholds=Tensor(thresholds[0]), feature_dim=2),
            Flatten(),
            layer,
            GroupSum(k=5, tau=1, beta=0.0),
        )
        with self.assertRaisesRegex(ialgn.ModelError, "the shape of a sample"):
            ialgn.from_torch(net)
        h = np.moveaxis(x[..., None] > thresholds[0], -1, 3)
        want = scores(dense(h.reshape(50, -1).astype(int), layer.connections.indices.a, layer.weight.a, "light"), 5, 1)
        self.same(ialgn.from_torch(net, facts={"input": {"shape": [2, 2, 3]}}), x, want)

    def test_dwn(self):
        """The first wire is the lowest digit; groups are permuted, then filled up with zeros at their end."""
        r = draw(30)
        thresholds = r.normal(size=(6, 2)).astype(f4)
        x = r.normal(size=(120, 6)).astype(f4)
        h = (x[:, :, None] > thresholds).reshape(120, -1).astype(int)
        luts = [r.normal(size=(20, 16)).astype(f4), r.normal(size=(17, 8)).astype(f4)]
        mapping, learnt = r.integers(0, 12, (20, 4)).astype(np.int32), r.normal(size=(20, 51)).round(1).astype(f4)
        chosen = learnt.argmax(axis=0).reshape(17, 3)
        h = dense(h, mapping.T[::-1], luts[0], "light")
        h = dense(h, chosen.T[::-1], luts[1], "light")
        order = r.permutation(17)
        want = scores(np.pad(h[:, order], ((0, 0), (0, 3))), 5, 0.3)
        plain = scores(np.pad(h, ((0, 0), (0, 3))), 5, 0.3)
        net = Sequential(
            LUTLayer(luts=Tensor(luts[0]), mapping=Tensor(mapping), input_size=12, ste=True),
            LUTLayer(luts=Tensor(luts[1]), mapping=Module(weights=Tensor(learnt)), input_size=20, ste=True),
            GroupSum(k=5, tau=0.3, randperm=Tensor(order)),
        )
        self.same(ialgn.from_torch(net, thresholds=thresholds), x, want, "dwn")
        state = {
            "0.luts": Tensor(luts[0]),
            "0.mapping": Tensor(mapping),
            "1.luts": Tensor(luts[1]),
            "1.mapping.weights": Tensor(learnt),
            "1._LUTLayer__dummy_mapping": Tensor(np.arange(51).reshape(17, 3)),
        }
        model = ialgn.from_torch(state, thresholds=thresholds, k=5, tau=0.3)
        self.same(model, x, plain, "dwn-padded")
        self.equal(model.last_layer(x)[:, 17:], np.zeros((120, 3)))
        with open(self.path("facts.json"), "w", encoding="utf-8") as file:
            json.dump(
                {
                    "group_sum": {"k": 5, "tau": 0.3, "randperm": order.tolist()},
                    "thermometer": {"thresholds_file": "t.npy"},
                },
                file,
            )
        np.save(self.path("t.npy"), thresholds)
        self.equal(ialgn.from_torch(state, facts=self.path("facts.json")).scores(x), want)
        one = np.broadcast_to(thresholds[:1], (6, 2))
        h = (x[:, :, None] > one).reshape(120, -1)
        self.equal(
            ialgn.from_torch(net, thresholds=thresholds[:1]).scores(x), ialgn.from_torch(net, thresholds=one).scores(x)
        )
        bits = ialgn.from_torch(net)  # without thresholds features are bits
        self.equal(bits.scores(h), ialgn.from_torch(net, thresholds=one).scores(x))
        net._modules["1"].ste = False
        with self.assertRaisesRegex(ialgn.ModelError, "numbers, not bits"):
            ialgn.from_torch(net)
        for arguments, what in [
            ({"thresholds": thresholds[:4]}, "is given 12 bits|reads bit"),
            ({"thresholds": [["a"]]}, "no type"),
            ({"thresholds": np.full((6, 2), np.nan)}, "want numbers"),
            ({"facts": {"thermometer": {"thresholds_file": "t.npy"}}}, "the thresholds are in t.npy"),
            ({"facts": {"input": {"bits": 8}}}, "ialgn import"),
        ]:
            with self.assertRaisesRegex(ialgn.ModelError, what):
                ialgn.from_torch(state, k=5, tau=0.3, **arguments)

    def test_refused(self):
        """What is no network of these frameworks, or has no form in ialgn."""
        r = draw(40)
        layer = LogicLayer(weights=np.zeros((4, 16), f4), indices=(np.zeros(4, int), np.zeros(4, int)), in_dim=2)
        total = GroupSum(k=2, tau=1)
        for net, what in [
            (3, "neither a module nor a state dict"),
            ({}, "no state dict"),
            ({"epoch": 3, "state_dict": {}}, "no state dict"),
            ({"0.bias": np.zeros(3)}, "of no framework"),
            (Sequential(), "is not known"),
            (Sequential(Flatten(), total), "no layers of difflogic"),
            (Sequential(kind("Linear")(), total), "what a Linear does"),
            (Sequential(layer, logic_dense(r, 4, 4, "raw", 2), total), "in one module"),
            (Sequential(layer, total, layer), "not the last module"),
            (Sequential(layer), "k: "),
            (
                Sequential(LogicLayer(weights=np.full((4, 16), np.nan), indices=layer.indices, in_dim=2), total),
                "not finite",
            ),
            (
                Sequential(LogicLayer(weights=np.zeros((4, 9)), indices=layer.indices, in_dim=2), total),
                "weights of shape",
            ),
            (
                Sequential(LogicLayer(weights=layer.weights, indices=(np.full(4, 7),) * 2, in_dim=2), total),
                "reads bit 7 of 2",
            ),
            (
                Sequential(LogicLayer(weights=layer.weights, indices=(np.zeros(4),) * 2, in_dim=2), total),
                "want integers",
            ),
            (Sequential(logic_dense(r, 8, 4, "light", 7), total), "7 inputs"),
        ]:
            with self.assertRaisesRegex(ialgn.ModelError, what):
                ialgn.from_torch(net)


class CutsTest(Case):
    def test_cuts(self):
        """A double exceeds the cut exactly where, rounded to single precision, it exceeds the threshold."""
        bits = draw(1).integers(0, 1 << 32, 50000, dtype=np.uint32)
        t = np.concatenate(
            [
                bits.view(f4),
                f4([0, -0.0, 1, 1.1, -1, 3.4028235e38, -3.4028235e38, 1e-45, -1e-45, 1.1754944e-38, np.inf, -np.inf]),
            ]
        )
        t = t[~np.isnan(t)]
        c = cuts(t)
        self.assertTrue(np.isfinite(c).all())
        with np.errstate(over="ignore"):
            for start in (t.astype(np.float64), c):
                for end in (np.inf, -np.inf):
                    x = start
                    for _ in range(3):
                        finite = np.isfinite(x)
                        self.equal((x > c)[finite], (x.astype(f4) > t)[finite])
                        x = np.nextafter(x, end)

    def test_numbers(self):
        """Numbers are written as Go writes them."""
        for value, want in [
            (3.0, "3"),
            (0.1, "0.1"),
            (1 / 0.3, "3.3333333333333335"),
            (1e-6, "0.000001"),
            (1e-7, "1e-7"),
            (1.5e-10, "1.5e-10"),
            (1e20, "100000000000000000000"),
            (1e21, "1e+21"),
            (1.5e300, "1.5e+300"),
            (-2.5, "-2.5"),
            (7, "7"),
            (0.0, "0"),
            (-0.0, "-0"),
            (123456789.125, "123456789.125"),
        ]:
            self.assertEqual(number(value), want)
