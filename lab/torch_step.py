"""Times a training step of an IALGN of 8,000 x 6 gates in PyTorch on one thread, for docs/evidence/benchmarks.md.

2,352 inputs, k_x = 32, a fixed first pin, batch 100, Adam. Forward and backward passes of gates and anchors are written by
hand, so that nothing but what a step needs is computed and kept.
"""

import time

import torch

WIDTH, DEPTH, INPUTS, CANDIDATES, BATCH, CLASSES = 8000, 6, 2352, 32, 100, 10

# Truth tables of the 16 operations by (a, b) = 00, 01, 10, 11, and their coefficients of 1, a, b and ab.
TABLES = torch.tensor([[(i >> (3 - j)) & 1 for j in range(4)] for i in range(16)], dtype=torch.float32)
COEFFICIENTS = torch.stack(
    [
        TABLES[:, 0],
        TABLES[:, 2] - TABLES[:, 0],
        TABLES[:, 1] - TABLES[:, 0],
        TABLES[:, 0] - TABLES[:, 1] - TABLES[:, 2] + TABLES[:, 3],
    ],
    1,
)


def through_softmax(p, g):
    """Returns the gradient of logits whose softmax p has the gradient g."""
    return p * (g - (g * p).sum(1, keepdim=True))


class Gate(torch.autograd.Function):
    """The most likely operation forward, the mixture of all backward."""

    @staticmethod
    def forward(ctx, a, b, logits):
        c = COEFFICIENTS[logits.argmax(1)]
        ctx.save_for_backward(a, b, logits)
        return c[:, 0:1] + c[:, 1:2] * a + c[:, 2:3] * b + c[:, 3:4] * (a * b)

    @staticmethod
    def backward(ctx, g):
        a, b, logits = ctx.saved_tensors
        p = torch.softmax(logits, 1)
        c = p @ COEFFICIENTS
        ga = g * a
        moments = torch.stack([g.sum(1), ga.sum(1), (g * b).sum(1), (ga * b).sum(1)], 1)
        to_logits = through_softmax(p, moments @ COEFFICIENTS.t())
        return g * (c[:, 1:2] + c[:, 3:4] * b), g * (c[:, 2:3] + c[:, 3:4] * a), to_logits


class Anchor(torch.autograd.Function):
    """The most likely candidate forward, all of them backward."""

    @staticmethod
    def forward(ctx, x, logits, wires):
        ctx.save_for_backward(x, logits)
        ctx.wires = wires
        return x.index_select(0, wires.gather(1, logits.argmax(1, keepdim=True)).squeeze(1))

    @staticmethod
    def backward(ctx, g):
        x, logits = ctx.saved_tensors
        p = torch.softmax(logits, 1)
        return None, through_softmax(p, (g @ x.t()).gather(1, ctx.wires)), None


def main():
    torch.set_num_threads(1)
    torch.manual_seed(1)
    gates = [torch.randn(WIDTH, 16, requires_grad=True) for _ in range(DEPTH)]
    anchors = [torch.randn(WIDTH, CANDIDATES, requires_grad=True) for _ in range(DEPTH)]
    wires = [torch.randint(0, INPUTS, (WIDTH, CANDIDATES)) for _ in range(DEPTH)]
    first = torch.randint(0, INPUTS, (WIDTH,))
    x, y = (torch.rand(INPUTS, BATCH) < 0.3).float(), torch.randint(0, CLASSES, (BATCH,))
    adam = torch.optim.Adam(gates + anchors, lr=0.01)

    def step():
        h = x.index_select(0, first)
        for logits, anchor, wire in zip(gates, anchors, wires):
            h = Gate.apply(h, Anchor.apply(x, anchor, wire), logits)
        counts = h.view(CLASSES, WIDTH // CLASSES, BATCH).sum(1).t()
        adam.zero_grad(set_to_none=True)
        torch.nn.functional.cross_entropy(counts / 10, y).backward()
        adam.step()

    seconds = []
    for _ in range(14):
        begin = time.process_time()
        step()
        seconds.append(time.process_time() - begin)
    print("best step: %.0f ns a gate" % (min(seconds) / WIDTH / DEPTH * 1e9))


if __name__ == "__main__":
    main()
