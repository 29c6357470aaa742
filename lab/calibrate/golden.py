"""Writes the golden values of trainer/internal/calibrate, by scipy:

    /usr/bin/python3 lab/calibrate/golden.py > trainer/internal/calibrate/testdata/golden.json

Each case has the label of each sample, its count of each class, and the temperature with which scipy's softmax of counts /
temperature gives the labels the largest likelihood, between 1/16 and 1000000.
"""

import json
import sys

import numpy
import scipy
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax

random = numpy.random.default_rng(50)


def case(samples, classes, chains, skill):
    labels = random.integers(0, classes, samples)
    share = numpy.full((samples, classes), 0.4)
    share[numpy.arange(samples), labels] += skill
    counts = random.binomial(chains, share)

    def loss(logarithm):
        return -log_softmax(counts / numpy.exp(logarithm), axis=1)[numpy.arange(samples), labels].sum()

    bounds = (numpy.log(1 / 16), numpy.log(1e6))
    found = minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": 1e-12, "maxiter": 1000})
    return {
        "classes": classes,
        "labels": labels.tolist(),
        "counts": counts.reshape(-1).tolist(),
        "temperature": float(numpy.exp(found.x)),
    }


cases = [case(40, 2, 10, 0.1), case(60, 3, 30, 0.1), case(30, 5, 8, 0.3), case(50, 4, 200, 0.03)]
json.dump({"scipy": scipy.__version__, "cases": cases}, sys.stdout)
print()
