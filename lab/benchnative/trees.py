"""Times how long trees of scikit-learn take for one image and for 64 of MNIST, on one thread.

    OMP_NUM_THREADS=1 python3 lab/benchnative/trees.py FOLDER

FOLDER has the four files of MNIST, gzip or not. Forests of 100 trees and gradient boosting of 100 rounds are trained on
the first 10,000 images. It prints Markdown: test accuracy, and the median of 50 calls in microseconds.
"""

import gzip
import pathlib
import statistics
import sys
import time

import numpy
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier


def idx(folder, name, header):
    path = next(pathlib.Path(folder).glob(name + "*"))
    data = gzip.open(path) if path.suffix == ".gz" else open(path, "rb")
    with data:
        return numpy.frombuffer(data.read(), numpy.uint8, offset=header)


def microseconds(call):
    times = []
    for _ in range(50):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return 1e6 * statistics.median(times)


def main(folder):
    images = idx(folder, "train-images", 16).reshape(-1, 784)[:10000]
    labels = idx(folder, "train-labels", 8)[:10000]
    test = idx(folder, "t10k-images", 16).reshape(-1, 784)
    want = idx(folder, "t10k-labels", 8)
    print("| trees | test accuracy | 1 image | 64 images |\n|---|---:|---:|---:|")
    for name, model in (
        ("RandomForestClassifier, 100 trees", RandomForestClassifier(100, random_state=1, n_jobs=1)),
        ("HistGradientBoostingClassifier, 100 rounds", HistGradientBoostingClassifier(max_iter=100, random_state=1)),
    ):
        model.fit(images, labels)
        accuracy = (model.predict(test) == want).mean()
        one, many = (microseconds(lambda n=n: model.predict(test[:n])) for n in (1, 64))
        print(f"| {name} | {100 * accuracy:.2f} % | {one:.0f} us | {many:.0f} us |")


main(sys.argv[1])
