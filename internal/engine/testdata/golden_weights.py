"""Golden training steps with class weights, from autograd.

/usr/bin/python3 golden_weights.py GOLDEN.py OUT_DIR writes one JSON file per case (Debian: python3-torch).
GOLDEN.py is the reference's script for steps without weights. This script runs its networks with
torch.nn.functional.cross_entropy(..., weight=...), whose mean is weighted.
"""
import functools
import json
import sys

import torch

source, out = sys.argv[1:]
reference = {"__name__": "golden"}
exec(compile(open(source).read().rsplit("main()", 1)[0], source, "exec"), reference)

weights = [0.25, 4.0, 1.5]
cross_entropy = torch.nn.functional.cross_entropy
torch.nn.functional.cross_entropy = functools.partial(cross_entropy, weight=torch.tensor(weights))

base = dict(inputs=23, width=12, depth=4, classes=3, batch=10, tau=2.0, lr=0.01, kx=5, kh=1, ste=True,
            parametrization="softmax16", first_pin="fixed", topology="ialgn", class_weights=weights)
cases = {"weighted-ialgn-ste": {}, "weighted-ialgn-kh4-ste": {"kh": 4}, "weighted-ialgn-soft": {"ste": False},
         "weighted-ldlgn-ste": {"topology": "rwlgn", "parametrization": "light"}}
for name, change in cases.items():
    with open(f"{out}/{name}.json", "w") as f:
        json.dump(reference["run"]({**base, **change}, 1), f)
