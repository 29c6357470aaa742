"""Writes internal/dataset/testdata/splits.json: how scikit-learn divides WISDM by classes and by persons.

The table is /work/shared/data/real/wisdm.csv.gz, the first argument. The golden file holds the number of rows of each
class for each person, and the test parts that scikit-learn draws with the seeds 0 to 19:

- "stratified": StratifiedShuffleSplit, rows of each class in the test part;
- "grouped": GroupShuffleSplit, the largest difference between the share of a class in the test part and the share.

Run with Debian's python3-sklearn: /usr/bin/python3 lab/splits/golden.py WISDM > internal/dataset/testdata/splits.json
"""

import csv
import gzip
import json
import sys

import numpy
import sklearn
from sklearn.model_selection import GroupShuffleSplit, StratifiedShuffleSplit

SHARE, SEEDS = 0.2, 20


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

    json.dump({
        "sklearn": sklearn.__version__,
        "share": SHARE,
        "classes": classes,
        "counts": counts.tolist(),
        "stratified": [t.tolist() for t in tests(StratifiedShuffleSplit)],
        "grouped": [round(float(abs(t / totals - SHARE).max()), 4) for t in tests(GroupShuffleSplit)],
    }, sys.stdout)
    print()


main()
