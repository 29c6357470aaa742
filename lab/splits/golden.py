"""Writes internal/dataset/testdata/splits.json: how scikit-learn divides WISDM by classes and by persons.

The table is /work/shared/data/real/wisdm.csv.gz, the first argument. The golden file holds the number of rows of each
class for each person, and the test parts that scikit-learn draws with the seeds 0 to 19:

- "stratified": StratifiedShuffleSplit, rows of each class in the test part;
- "grouped": GroupShuffleSplit, the largest difference between the share of a class in the test part and the share.

For cross-validation with the same seeds, it holds:

- "folds": for StratifiedKFold, rows of each class in each fold. They do not depend on the seed;
- "group_folds": for StratifiedGroupKFold, the error of the folds: the sum over the folds and classes of the squared
  difference between the share of the class in the fold and 1 / FOLDS;
- "plain_group_folds": the same error for GroupKFold, which does not look at classes and has no seed.

Run with Debian's python3-sklearn: /usr/bin/python3 lab/splits/golden.py WISDM > internal/dataset/testdata/splits.json
"""

import csv
import gzip
import json
import sys

import numpy
import sklearn
from sklearn.model_selection import (
    GroupKFold, GroupShuffleSplit, StratifiedGroupKFold, StratifiedKFold, StratifiedShuffleSplit)

SHARE, SEEDS, FOLDS = 0.2, 20, 5


def main():
    with gzip.open(sys.argv[1], "rt") as f:
        rows = list(csv.DictReader(f))
    classes = sorted({r["class"] for r in rows})
    persons = sorted({r["user"] for r in rows}, key=int)
    labels = numpy.array([classes.index(r["class"]) for r in rows])
    groups = numpy.array([persons.index(r["user"]) for r in rows])
    counts = numpy.zeros((len(persons), len(classes)), int)
    numpy.add.at(counts, (groups, labels), 1)
    totals = counts.sum(0)

    def tests(kind):
        for seed in range(SEEDS):
            split = kind(n_splits=1, test_size=SHARE, random_state=seed)
            _, test = next(split.split(labels, labels, groups))
            yield numpy.bincount(labels[test], minlength=len(classes))

    def folds(kind):
        for _, test in kind.split(labels, labels, groups):
            yield numpy.bincount(labels[test], minlength=len(classes))

    def miss(kind):
        return round(float(sum(((t / totals - 1 / FOLDS) ** 2).sum() for t in folds(kind))), 9)

    # StratifiedKFold numbers the classes in the order of their first rows, so the rows are sorted for it.
    order = numpy.argsort(labels, kind="stable")
    labels, groups = labels[order], groups[order]
    stratified = [[t.tolist() for t in folds(StratifiedKFold(FOLDS, shuffle=True, random_state=s))] for s in range(SEEDS)]
    assert all(s == stratified[0] for s in stratified)
    labels, groups = labels[numpy.argsort(order)], groups[numpy.argsort(order)]

    json.dump({
        "sklearn": sklearn.__version__,
        "share": SHARE,
        "classes": classes,
        "counts": counts.tolist(),
        "stratified": [t.tolist() for t in tests(StratifiedShuffleSplit)],
        "grouped": [round(float(abs(t / totals - SHARE).max()), 4) for t in tests(GroupShuffleSplit)],
        "folds": stratified[0],
        "group_folds": [miss(StratifiedGroupKFold(FOLDS, shuffle=True, random_state=s)) for s in range(SEEDS)],
        "plain_group_folds": miss(GroupKFold(FOLDS)),
    }, sys.stdout)
    print()


main()
