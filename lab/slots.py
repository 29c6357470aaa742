#!/usr/bin/env python3
"""Slots (CompactLogic, arXiv 2602.05830) in convolutions, as a PyTorch prototype for CIFAR-10.

    python3 lab/slots.py FOLDER MODE EPOCHS [RATE]

FOLDER has the binary files of CIFAR-10. The network is the one of "Convolutions: candidates" in docs/evidence/results.md:
four convolutions of 16, 16, 64 and 64 kernels of one gate that reads one plane, strides 2, 1, 2, 1, then two layers of
4,000 gates. MODE is

    fixed   every gate has one drawn pair of wires and a softmax over 16 operations
    slots   every gate has a softmax over 16 slots, each an operation with its own pair of wires
    refill  like slots; slots are drawn again if one has won, or if none has, until two thirds of the steps

The last line has the accuracy on validation samples (a tenth of the training samples) and on the test samples, of the
relaxed and of the frozen network.
"""
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F

FOLDER, MODE, EPOCHS = sys.argv[1], sys.argv[2], int(sys.argv[3])
RATE = float(sys.argv[4]) if len(sys.argv) > 4 else 0.02
SLOTS, BATCH, TAU = 16, 128, 8.0
KERNELS, STRIDES, WIDTHS = [16, 16, 64, 64], [2, 1, 2, 1], [4000, 4000]
torch.set_num_threads(1)
torch.manual_seed(1)

# Row k has the coefficients of 1, a, b and ab of operation k; k's bits are its values at 00, 01, 10 and 11.
OPERATIONS = []
for k in range(16):
    v = [(k >> 3) & 1, (k >> 2) & 1, (k >> 1) & 1, k & 1]
    OPERATIONS.append([v[0], v[2] - v[0], v[1] - v[0], v[0] - v[1] - v[2] + v[3]])
OPERATIONS = torch.tensor(OPERATIONS, dtype=torch.float32)


def read(names):
    raw = np.concatenate([np.fromfile(f"{FOLDER}/{n}.bin", np.uint8).reshape(-1, 3073) for n in names])
    return torch.tensor(raw[:, 1:].reshape(-1, 3, 32, 32)), torch.tensor(raw[:, 0].astype(np.int64))


def planes(images):
    return torch.cat([(images > t).float() for t in (64, 128, 192)], 1)


class Layer:
    """n nodes. draw(m) returns m random pairs of sources."""

    def __init__(self, n, draw):
        self.n, self.draw = n, draw
        if MODE == "fixed":
            a, b = draw(n)
            self.a, self.b = a[:, None].repeat(1, SLOTS), b[:, None].repeat(1, SLOTS)
            self.op = torch.arange(16).repeat(n, 1)
            self.p = torch.zeros(n, SLOTS)
            self.p[:, 3] = 5.0  # the operation A
        else:
            (self.a, self.b), self.op = [x.view(n, SLOTS) for x in draw(n * SLOTS)], torch.randint(16, (n, SLOTS))
            self.p = torch.randn(n, SLOTS)
        self.p.requires_grad_(True)
        self.mean, self.last = torch.zeros(n), torch.zeros(n, dtype=torch.long)

    def mix(self, x, hard):
        """x: [sources, positions and batch] -> [n, positions and batch]"""
        if hard or MODE == "fixed":
            j = self.p.argmax(1, keepdim=True) if hard else torch.zeros(self.n, 1, dtype=torch.long)
            c = OPERATIONS[self.op.gather(1, j)[:, 0]] if hard else torch.softmax(self.p, 1) @ OPERATIONS
            a, b = x.index_select(0, self.a.gather(1, j)[:, 0]), x.index_select(0, self.b.gather(1, j)[:, 0])
            return c[:, :1] + c[:, 1:2] * a + c[:, 2:3] * b + c[:, 3:] * a * b
        c = OPERATIONS[self.op] * torch.softmax(self.p, 1)[:, :, None]
        out = c[:, :, 0].sum(1)[:, None]
        for s in range(SLOTS):  # one slot at a time keeps the memory small
            a, b = x.index_select(0, self.a[:, s]), x.index_select(0, self.b[:, s])
            k = c[:, s, :, None]
            out = out + k[:, 1] * a + k[:, 2] * b + k[:, 3] * a * b
        return out

    def refill(self, opt, step):
        with torch.no_grad():
            k = torch.softmax(self.p, 1)
            entropy = -(k * (k + 1e-9).log()).sum(1)
            settled = (entropy - self.mean).abs() < 5e-4
            self.mean = 0.99 * self.mean + 0.01 * entropy
            best, j = k.max(1)
            waited = step - self.last
            won, lost = settled & (best > 0.95) & (waited > 100), (best < 0.4) & settled & (waited > 1500)
            for chosen, keep in ((won, True), (lost, False)):
                i = chosen.nonzero()[:, 0]
                if len(i) == 0:
                    continue
                m = len(i)
                a, b = [x.view(m, SLOTS) for x in self.draw(m * SLOTS)]
                op, p = torch.randint(16, (m, SLOTS)), torch.randn(m, SLOTS)
                if keep:
                    r, w = torch.arange(m), j[i]
                    a[r, w], b[r, w], op[r, w] = self.a[i, w], self.b[i, w], self.op[i, w]
                    p = torch.zeros(m, SLOTS)
                    p[r, w] = float(np.log(9 * (SLOTS - 1)))
                self.a[i], self.b[i], self.op[i], self.p[i] = a, b, op, p
                for moment in ("exp_avg", "exp_avg_sq"):
                    opt.state[self.p][moment][i] = 0
                self.last[i] = step


def patch_pairs(channels):
    def draw(m):
        base = torch.randint(channels, (m,)) * 9
        return base + torch.randint(9, (m,)), base + torch.randint(9, (m,))

    return draw


def node_pairs(n):
    return lambda m: (torch.randint(n, (m,)), torch.randint(n, (m,)))


layers, channels, side = [], 9, 32
for kernels, stride in zip(KERNELS, STRIDES):
    layers.append(Layer(kernels, patch_pairs(channels)))
    channels, side = kernels, side // stride
sources = channels * side * side
for width in WIDTHS:
    layers.append(Layer(width, node_pairs(sources)))
    sources = width


def patches(x, stride):
    """x: [channels, rows, columns, batch] -> [9 channels, rows, columns, batch], one row for each place in a patch"""
    rows = x.shape[1]
    x = F.pad(x, (0, 0, 1, 1, 1, 1))
    return torch.stack([x[:, i:i + rows:stride, j:j + rows:stride] for i in range(3) for j in range(3)], 1).flatten(0, 1)


def forward(x, hard=False):
    """x: [batch, channels, rows, columns]. Sources are rows in memory, because gathering rows is fast."""
    x = x.permute(1, 2, 3, 0)
    for layer, stride in zip(layers, STRIDES):
        p = patches(x, stride)
        x = layer.mix(p.flatten(1), hard).view(layer.n, *p.shape[1:])
    x = x.flatten(0, 2)
    for layer in layers[len(KERNELS):]:
        x = layer.mix(x, hard)
    return x.view(10, -1, x.shape[1]).sum(1).t() / TAU


def accuracy(images, labels, hard):
    right = 0
    with torch.no_grad():
        for i in range(0, len(images), 500):
            right += (forward(planes(images[i:i + 500]), hard).argmax(1) == labels[i:i + 500]).sum().item()
    return 100 * right / len(images)


images, labels = read([f"data_batch_{i}" for i in range(1, 6)])
test = read(["test_batch"])
order = torch.randperm(len(images))
held, kept = order[:len(images) // 10], order[len(images) // 10:]
opt = torch.optim.Adam([layer.p for layer in layers], lr=RATE)
steps, step, begin = len(kept) // BATCH * EPOCHS, 0, time.time()
for epoch in range(EPOCHS):
    shuffled = kept[torch.randperm(len(kept))]
    for i in range(0, len(kept) - BATCH + 1, BATCH):
        index = shuffled[i:i + BATCH]
        x = images[index]
        if torch.rand(1) < 0.5:
            x = x.flip(3)
        x = torch.roll(x, tuple(torch.randint(-2, 3, (2,)).tolist()), (2, 3))
        loss = F.cross_entropy(forward(planes(x)), labels[index])
        opt.zero_grad()
        loss.backward()
        opt.step()
        step += 1
        if MODE == "refill" and step < 2 * steps / 3:
            for layer in layers:
                layer.refill(opt, step)
    print(f"epoch {epoch + 1}, loss {loss.item():.4f}, {time.time() - begin:.0f} s", flush=True)
for name, (x, y) in (("validation", (images[held], labels[held])), ("test", test)):
    print(f"{MODE}, rate {RATE}: {name}: relaxed {accuracy(x, y, False):.2f} %, frozen {accuracy(x, y, True):.2f} %")
