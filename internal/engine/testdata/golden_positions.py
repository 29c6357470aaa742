"""Golden training steps from autograd for networks of convolutions, whose nodes are shared by positions.

/usr/bin/python3 golden_positions.py OUT_DIR [SEED [CASE...]] writes one compressed JSON file a case, of three steps
of Adam in float64 (Debian: python3-torch, python3-numpy). TestGoldenPositions reads them, those of testdata/golden-
positions or of $IALGN_GOLDEN_POSITIONS. Nothing here is taken from the engine: what is computed is what docs/reference/maths.md
says.

A case changes what `base` says, keys of a configuration's section model and others. A file has

    config   the case, with that section as "model", and of each layer its width and the sources of its pins
    layers   of each pin, the element that each node reads ("wire") or those it chooses among ("candidates"): of the
             patch of a position, pixel (plane * side + row) * side + column; after the convolutions, of all bits
    start    the logits: of functions ("table", a row each node) and of choices ("pins")
    steps    three batches with logits of the classes, counts (with hard values), loss, gradients, and parameters after

Patches are cut out position by position, and the input bits under a position are found by asking each convolution
which pixels it reads, down to the image. Values of operations are the sixteen polynomials of "Deep Differentiable
Logic Gate Networks" (Petersen et al., 2022), of tables sums over their lines.

Estimators. soft: numbers everywhere. ste: hard values forward, of operation, table and choices, and the gradient of
what soft would compute of these hard values. gumbel: the same with (logit + noise) / temperature for each logit; the
noise is that of the program's streams (package internal/draw), made here anew from their definition.

Whatever is decided, such as a bit of a table or which of four values is the largest, must not hang on a rounding: a
case some decision of which is nearer than `MARGIN` is made again with another seed. Equal values are no decision of
that kind: they are equal in float32 too, and the first in reading order counts. So is a case made again in which the
classes' logits are the same for most samples.
"""
import gzip, json, math, sys, torch

torch.set_default_dtype(torch.float64)
MARGIN = 1e-5
DIFFERENT = 4  # samples whose logits differ in each step, at least
BORDER = 64  # of zeros around the input's image, more than any field reaches beyond it


# Random numbers of the program: PCG-DXSM of 128 bits, with keys mixed by SplitMix64.

M64, M128 = (1 << 64) - 1, (1 << 128) - 1


def mix(z):
    z = (z + 0x9E3779B97F4A7C15) & M64
    z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & M64
    z = ((z ^ z >> 27) * 0x94D049BB133111EB) & M64
    return z ^ z >> 31


def stream(seed, purpose, layer, node):
    """Yields the 64-bit numbers of a stream."""
    a = mix(seed ^ mix(purpose))
    b = mix(a ^ (layer << 40) ^ node)
    state = b << 64 | mix(b ^ a)
    while True:
        state = (state * 0x2360ED051FC65DA44385DF649FCCF645 + 0x5851F42D4C957F2D14057B7EF767814F) & M128
        hi, lo = state >> 64, state & M64 | 1
        hi ^= hi >> 32
        hi = hi * 0xDA942042E4DD58B5 & M64
        hi ^= hi >> 48
        yield hi * lo & M64


def check_stream():
    """The first draws that the program's own test has: different numbers below 1000."""
    s = stream(1, 2, 2, 3)
    got = [next(s) * 1000 >> 64 for _ in range(5)]
    assert got == [80, 65, 829, 904, 919], got


def noise(c, step, layer, nodes, which, n, logistic):
    """[nodes][n]: Gumbel variables or, for lines of a table, differences of two. which: 0 the function, 1 pin 0, ..."""
    rows, seed = [], mix(c["seed"] ^ mix(step))
    for node in range(nodes):
        s = stream(seed, 15, layer, node * 7 + which)
        u = [((next(s) >> 12) + 0.5) / (1 << 52) for _ in range(n)]
        rows.append([math.log(x / (1 - x)) if logistic else -math.log(-math.log(x)) for x in u])
    return torch.tensor(rows)


# The network as a list of layers.

def numbers(text):
    return [int(n) for n in str(text).split(",")]


def convolutions(c):
    kernels = numbers(c["kernels"])
    lists = {key: numbers(c[key]) for key in ("patch", "stride", "padding", "levels", "pool")}
    return [dict(kernels=n, **{k: v[min(i, len(v) - 1)] for k, v in lists.items()}) for i, n in enumerate(kernels)]


def reach(convs, i, p):
    """The first and the last pixel of the input's image, along an axis, that position p of convolution i depends on."""
    lo = p * convs[i]["stride"] - convs[i]["padding"]
    hi = lo + convs[i]["patch"] - 1
    if i == 0:
        return lo, hi
    pool = convs[i - 1]["pool"]
    return reach(convs, i - 1, lo * pool)[0], reach(convs, i - 1, hi * pool + pool - 1)[1]


def layers(c):
    """Sources, candidates and sizes of all layers; what a pin reads has "of" elements."""
    planes, rows, columns = numbers(c["image"])
    input_planes, all, convs, K, leaves = planes * c["bits"], [], convolutions(c), c["inputs_of_node"], c["leaves"]
    planes = input_planes
    for i, v in enumerate(convs):
        first, last = reach(convs, i, 0)
        low = dict(source="previous" if i else "input", k=c["hidden"], of=planes * v["patch"] ** 2)
        anchor = dict(source="input", k=c["anchors"], of=input_planes * (last - first + 1) ** 2)
        width = v["kernels"] * leaves ** (v["levels"] - 1)
        for level in range(v["levels"]):
            pins = [dict(low) for _ in range(K)]
            if level == 0 and i:
                pins[K - c["anchored"]:] = [dict(anchor) for _ in range(c["anchored"])]
            if level:
                pins = [dict(source="previous", leaf=k) if k < leaves else dict(low, source="base" if i else "input")
                        for k in range(K)]
            if c.get("in_order") and i and not level:
                pins = [dict(p, order=(k, K)) for k, p in enumerate(pins)]
            all.append(dict(width=width, conv=i, level=level, pins=pins))
            width //= leaves
        rows = ((rows + 2 * v["padding"] - v["patch"]) // v["stride"] + 1) // v["pool"]
        columns = ((columns + 2 * v["padding"] - v["patch"]) // v["stride"] + 1) // v["pool"]
        planes = v["kernels"]
    before = base = planes * rows * columns
    widths = numbers(c["widths"]) if c["widths"] else []
    for l, width in enumerate(widths * c["chains"] if c["chains"] else widths):
        pins = [dict(source="previous", k=c["anchors"] if c["chains"] else c["hidden"], of=before) for _ in range(K)]
        if c["chains"] and l:
            pins = [dict(source="spine")] + [dict(p, source="base", of=base) for p in pins[1:]]
        all.append(dict(width=width, conv=None, level=0, pins=pins))
        before = width
    return all


def draw(spec, c, g):
    """Gives a layer wires and logits, which are short numbers that float32 has."""
    rounded = lambda t: torch.where((t * 1024).round() == 0, torch.ones_like(t), (t * 1024).round()) / 1024
    W = spec["width"]
    for p in spec["pins"]:
        p["logits"] = p["wire"] = p["candidates"] = None
        if "leaf" in p:
            p["wire"] = torch.arange(W) * c["leaves"] + p["leaf"]
        elif "order" in p:
            p["wire"] = torch.arange(W) * p["order"][1] + p["order"][0]
        elif p["source"] != "spine" and p["k"] == 1:
            p["wire"] = torch.randint(0, p["of"], (W,), generator=g)
        elif p["source"] != "spine":
            p["candidates"] = torch.stack([torch.randperm(p["of"], generator=g)[:p["k"]] for _ in range(W)])
            p["logits"] = rounded(torch.randn(W, p["k"], generator=g)).requires_grad_()
    n = 16 if c["parametrization"] == "softmax16" else 1 << len(spec["pins"])
    start = torch.randn(W, n, generator=g) * 1.5
    if n == 16 and len(spec["pins"]) == 2:
        start[:, [0, 15]] -= 3  # few constants
    spec["table"] = rounded(start).requires_grad_()


# Values. Those of a layer are [batch][nodes][positions].

def operations(a, b):
    ab = a * b
    one, x, o = torch.ones_like(a), a + b - 2 * ab, a + b - ab
    return [0 * one, ab, a - ab, a, b - ab, b, x, o, 1 - o, 1 - x, 1 - b, 1 - b + ab, 1 - a, 1 - a + ab, 1 - ab, one]


def function(weights, pins):
    """weights are [nodes][16] of operations, or [nodes][2^K] truth values of lines, pin 0 the highest digit."""
    out, K = 0, len(pins)
    if weights.shape[1] == 16 and K == 2:
        for k, y in enumerate(operations(*pins)):
            out = out + weights[None, :, k, None] * y
        return out
    for line in range(1 << K):
        y = weights[None, :, line, None]
        for i, p in enumerate(pins):
            y = y * (p if line >> (K - 1 - i) & 1 else 1 - p)
        out = out + y
    return out


def straight(soft, hard):
    return soft + (hard - soft).detach()


def cut(image, side, corner, rows, columns):
    """[batch][elements][positions]: the patches of an image whose upper left corners corner(y, x) says."""
    all = []
    for y in range(rows):
        for x in range(columns):
            r, q = corner(y, x)
            all.append(image[:, :, r:r + side, q:q + side].flatten(1))
    return torch.stack(all, -1)


class Net:
    def __init__(self, c, g):
        self.c, self.layers, self.convs = c, layers(c), convolutions(c)
        self.hard, self.margin, self.step, self.ties = c["estimator"] != "soft", math.inf, 0, 0
        for spec in self.layers:
            draw(spec, c, g)

    def params(self):
        return [l["table"] for l in self.layers] + [p["logits"] for l in self.layers for p in l["pins"]
                                                    if p["logits"] is not None]

    def decided(self, gap):
        self.margin = min(self.margin, gap.min().item())

    def largest(self, w):
        top = w.detach().topk(2, -1).values
        self.decided(top[:, 0] - top[:, 1])
        return w.argmax(-1)

    def noisy(self, w, layer, which, logistic=False):
        if self.c["estimator"] != "gumbel":
            return w
        n = noise(self.c, self.step, layer, w.shape[0], which, w.shape[1], logistic)
        return (w + n) / self.c["temperature"]

    def pin(self, layer, k, values):
        """The value of pin k of all nodes, of values [batch][elements][positions]."""
        p = self.layers[layer]["pins"][k]
        if p["source"] == "spine":
            return values
        if p["logits"] is None:
            return values[:, p["wire"]]
        w = self.noisy(p["logits"], layer, k + 1)
        v = values[:, p["candidates"]]  # [batch][nodes][candidates][positions]
        soft = (v * torch.softmax(w, -1)[None, :, :, None]).sum(2)
        if not self.hard:
            return soft
        best = self.largest(w)
        return straight(soft, torch.stack([v[:, n, j] for n, j in enumerate(best.tolist())], 1))

    def nodes(self, layer, pins):
        spec, light = self.layers[layer], self.c["parametrization"] != "softmax16"
        w = self.noisy(spec["table"], layer, 0, light)
        soft = function(torch.sigmoid(w) if light else torch.softmax(w, -1), pins)
        if not self.hard:
            return soft
        if light:
            self.decided(w.detach().abs())
            hard = (w > 0).double()
        else:
            hard = torch.nn.functional.one_hot(self.largest(w), 16).double()
        return straight(soft, function(hard, pins).round())

    def pool(self, v, rows, columns):
        """The largest of each two by two values, the first of equal ones, of [batch][nodes][rows * columns]."""
        v = v.view(*v.shape[:2], rows, columns)[:, :, :rows // 2 * 2, :columns // 2 * 2]
        four = torch.stack([v[:, :, i::2, j::2] for i in (0, 1) for j in (0, 1)])
        best = torch.zeros(four.shape[1:], dtype=torch.long)
        for k in range(1, 4):
            so_far = four.gather(0, best[None])[0]
            best = torch.where(four[k] > so_far, torch.full_like(best, k), best)
        top = four.gather(0, best[None])
        gaps = (top - four).detach()
        self.ties += (((gaps == 0).sum(0) > 1)).sum().item()
        if (gaps > 0).any():
            self.decided(10 * gaps[gaps > 0])  # values have smaller errors than logits after a step
        return top[0]

    def forward(self, x):
        """Class logits of [batch][inputs]; input bit f * bits + j is bit j of feature f."""
        c, (planes, rows, columns) = self.c, numbers(self.c["image"])
        bits = x.view(x.shape[0], planes, rows, columns, c["bits"])
        image = torch.stack([bits[:, p, :, :, j] for p in range(planes) for j in range(c["bits"])], 1)
        wide = torch.nn.functional.pad(image, [BORDER] * 4)
        for i, v in enumerate(self.convs):
            at = [l for l, spec in enumerate(self.layers) if spec["conv"] == i]
            image = self.convolve(image, wide, i, v, at)
        base = h = image.flatten(1)[:, :, None]
        for l, spec in enumerate(self.layers):
            if spec["conv"] is None:
                h = self.nodes(l, [self.pin(l, k, base if p["source"] == "base" else h)
                                   for k, p in enumerate(spec["pins"])])
        sums = h.reshape(x.shape[0], c["classes"], -1).sum(-1)
        return sums / c["tau"]

    def convolve(self, image, wide, i, v, at):
        """What leaves convolution i, whose levels are the layers `at`."""
        size = [(n + 2 * v["padding"] - v["patch"]) // v["stride"] + 1 for n in image.shape[2:]]
        padded = torch.nn.functional.pad(image, [v["padding"]] * 4)
        low = cut(padded, v["patch"], lambda y, x: (y * v["stride"], x * v["stride"]), *size)
        first, last = reach(self.convs, i, 0)
        corner = lambda p: reach(self.convs, i, p)[0] + BORDER
        field = cut(wide, last - first + 1, lambda y, x: (corner(y), corner(x)), *size)
        for l in at:
            pins = []
            for k, p in enumerate(self.layers[l]["pins"]):
                if "leaf" in p:
                    pins.append(h.reshape(h.shape[0], -1, self.c["leaves"], h.shape[2])[:, :, p["leaf"]])
                else:
                    pins.append(self.pin(l, k, field if p["source"] == "input" else low))
            h = self.nodes(l, pins)
        return self.pool(h, *size) if v["pool"] == 2 else h.view(*h.shape[:2], *size)


# Files.

def short(t):
    """Nested lists of numbers with nine digits."""
    if t is None:
        return None
    if isinstance(t, (list, tuple)):
        return [short(x) for x in t]
    return short(t.tolist()) if torch.is_tensor(t) else float(f"{t:.9g}")


def state(net, of):
    one = lambda t: None if t is None else short(of(t))
    return [{"table": one(l["table"]), "pins": [one(p["logits"]) for p in l["pins"]]} for l in net.layers]


def gradient(t):
    return torch.zeros_like(t) if t.grad is None else t.grad


def batch(c, g):
    x = (torch.rand(c["batch"], c["inputs"], generator=g) < 0.5).double()
    y = torch.randint(0, c["classes"], (c["batch"],), generator=g)
    return x, y


SETTINGS = "inputs", "bits", "classes", "batch", "tau", "lr", "decay", "estimator", "temperature", "seed"


def model(c):
    """The section model of the configuration."""
    rest = {k: v for k, v in c.items() if k not in SETTINGS + ("inputs_of_node", "in_order")}
    return {"topology": "conv", "inputs": c["inputs_of_node"], "wiring": "random", "init": "skip", **rest}


def train(c, seed):
    g = torch.Generator().manual_seed(seed)
    net = Net(c, g)
    opt = torch.optim.AdamW(net.params(), lr=c["lr"], weight_decay=c["decay"])
    ls = lambda t: None if t is None else t.tolist()
    shape = [{"width": l["width"], "pins": [{"source": p["source"]} for p in l["pins"]]} for l in net.layers]
    config = {"layers": shape, "model": model(c), **{k: c[k] for k in SETTINGS}}
    out = {"config": config, "start": state(net, lambda t: t.detach()), "steps": []}
    out["layers"] = [[{"wire": ls(p["wire"]), "candidates": ls(p["candidates"])} for p in l["pins"]]
                     for l in net.layers]
    for net.step in 1, 2, 3:
        x, y = batch(c, g)
        opt.zero_grad()
        z = net.forward(x)
        loss = torch.nn.functional.cross_entropy(z, y)
        loss.backward()
        s = {"x": ["".join("1" if v else "0" for v in r) for r in x.tolist()], "y": y.tolist(), "logits": short(z),
             "loss": loss.item(), "grad": state(net, gradient)}
        if net.hard:
            s["counts"] = [[round(v * c["tau"]) for v in r] for r in z.tolist()]
        opt.step()
        s["after"] = state(net, lambda t: t.detach())
        out["steps"].append(s)
    return net, out


def write(path, out):
    text = json.dumps(out, separators=(",", ":")).encode()
    with open(path, "wb") as f, gzip.GzipFile("", "wb", 9, f, mtime=0) as z:
        z.write(text)
    return len(text)


base = dict(image="2,8,9", kernels="3,4", patch="3", stride="1", padding="1", levels="2", pool="2", inputs_of_node=2,
            anchored=0, anchors=1, hidden=1, widths="9,6", chains=0, parametrization="softmax16", bits=1, classes=3,
            batch=21, tau=1.5, lr=0.02, decay=0.0, estimator="soft", temperature=1.0, seed=7)
light, gumbel = dict(parametrization="light"), dict(estimator="gumbel", temperature=1.25)
ste, k3, k4, k6 = dict(estimator="ste"), dict(inputs_of_node=3), dict(inputs_of_node=4), dict(inputs_of_node=6)


def case(*parts, **rest):
    return {k: v for part in (*parts, rest) for k, v in part.items()}


cases = {
    # Operations of two pins.
    "ops-soft": case(levels="3,2", kernels="2,3"),
    "ops-ste": case(ste, levels="3,2", kernels="2,3", batch=37),
    "ops-ste-choice": case(ste, hidden=3, levels="2,1", kernels="3,6", decay=0.2),
    "ops-gumbel-anchored": case(gumbel, hidden=2, anchored=1, anchors=4, levels="1,2", kernels="3,6"),
    "ops-soft-anchored": case(anchored=1, anchors=3, pool="2,1", bits=2, image="1,6,7", decay=0.1),
    # Light gates.
    "light-soft-wide": case(light, image="1,13,14", kernels="3", levels="3", widths="9,6", batch=18),
    "light-ste-wide": case(light, ste, image="1,13,14", kernels="3", levels="3", widths="9,6", batch=18),
    "light-soft-strides": case(light, stride="2,1", padding="0,1", pool="1,2", image="1,9,8", levels="2,1"),
    "light-ste-three": case(light, ste, image="1,9,8", kernels="3,4,6", levels="1,2,1", stride="2,1,2", padding="1,1,0",
                            pool="1", anchored=1, anchors=3, widths=""),
    "light-gumbel": case(light, gumbel, hidden=3, levels="2,1", pool="2,1", temperature=0.7),
    "light-ste-only": case(light, ste, widths="", patch="5,1", padding="2,0", levels="1", kernels="4,6", pool="2,1"),
    # Tables of more pins.
    "k3-gumbel-choice": case(k3, light, gumbel, hidden=4, anchored=1, anchors=2, levels="2,1", widths="9"),
    "k4-soft": case(k4, light, kernels="2,3", levels="2,1", hidden=2, widths="6"),
    "k4-ste-anchored": case(k4, light, ste, kernels="2,3", levels="1,2", anchored=2, anchors=3, stride="1,2",
                            padding="1", pool="2,1", image="1,8,7", decay=0.1, widths="9"),
    "k6-soft-anchored": case(k6, light, kernels="3,2", levels="1", anchored=1, widths="3", lr=0.05),
    "k6-ste": case(k6, light, ste, kernels="1", levels="2", patch="5", padding="2", widths="6", hidden=2),
    # Kernels with fewer leaves than pins, and chains on the last convolution.
    "leaves-soft": case(k3, light, leaves=2, levels="2,3", kernels="2,2", hidden=2, pool="2,1", widths="",
                        classes=2),
    "leaves-ste-chains": case(light, ste, leaves=1, levels="3,2", chains=3, widths="6", anchors=4),
    "chains-soft": case(k4, light, levels="1", kernels="3,3", chains=2, widths="3"),
    # Higher levels whose patch is one pixel, as is what they read of the level below.
    "leaves-one-pixel": case(light, leaves=1, levels="1,3", kernels="3,3", patch="3,1", padding="1,0"),
    "leaves-one-pixel-in-order": case(light, leaves=1, levels="1,2", kernels="4,2", patch="3,1", padding="1,0",
                                      pool="1", image="1,5,4", widths="6", in_order=True),
}


def main():
    check_stream()
    dst, seed = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1
    for name in sys.argv[3:] or cases:
        c = {**base, **cases[name]}
        c.setdefault("leaves", c["inputs_of_node"])
        c["inputs"] = math.prod(numbers(c["image"])) * c["bits"]
        for attempt in range(seed, seed + 300_000, 1000):
            net, out = train(c, attempt)
            different = min(len(set(map(tuple, s["logits"]))) for s in out["steps"])
            if net.margin > MARGIN and different >= DIFFERENT:
                break
        else:
            sys.exit(f"{name}: no seed makes it: {net.margin} {different}")
        size = write(f"{dst}/{name}.json.gz", out)
        print(f"{name}: seed {attempt}, margin {net.margin:.2g}, {different} different, pooled ties {net.ties},"
              f" {size} bytes", flush=True)


if __name__ == "__main__":
    main()
