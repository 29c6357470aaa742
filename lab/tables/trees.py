"""Trains trees of scikit-learn on the data sets of `ialgn experiment tables`, on the same training and test samples:

    ialgn experiment tables -o tables --scale paper --seeds 5
    python3 lab/tables/trees.py tables

The first command writes the divided tables to tables/splits, from which this script reads them. The script writes
tables/trees.json, and the next call of the first command shows these results next to the networks. Rows that the file
has are not trained again. IALGN_DATA or --data names the folder of the data sets.

There are two classifiers, each with and without class weights ("balanced"):

- "boosted trees": HistGradientBoostingClassifier with at most 200 iterations and its other defaults. Above 10,000
  training samples, it holds out a tenth of them to stop early, and is trained with the seeds 1 to 5. Below, its result
  does not depend on the seed, so it is trained once.
- "random forest": RandomForestClassifier with 300 trees, with the seeds 1 to 5.

Each word of a column becomes a feature. The random forest gets the median instead of a missing value. scikit-learn
computes the metrics in the file. `ialgn` computes its figures from the confusion matrices.
"""

import argparse
import gzip
import json
import os
import pathlib
import sys
import time

import numpy
import pandas
import sklearn
from sklearn import metrics
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils.class_weight import compute_sample_weight

SEEDS = range(1, 6)

# Each set has the beginning of its file names, its label, and the columns that are no features. The label of an array is None.
SETS = {
    "dry-bean": ("splits/dry-bean", "Class", []),
    "heartbeats": ("real/ecg", None, []),
    "wisdm": ("splits/wisdm", "class", ["UNIQUE_ID", "user"]),
    "nsl-kdd": ("real/nsl-kdd", "class", []),
    "spoken": ("real/spoken", None, []),
    "letter": ("splits/letter", "lettr", []),
    "satellite": ("splits/satellite", "classes", []),
    "shuttle": ("splits/shuttle", "Class", []),
}


def find(folders, name):
    """Returns the path of a file, with or without .gz, in the first folder that has it."""
    for path in [folder / (name + ending) for folder in folders for ending in ("", ".gz")]:
        if path.exists():
            return path
    raise FileNotFoundError("%s: searched %s" % (name, ", ".join(map(str, folders))))


def array(path):
    with gzip.open(path) if path.suffix == ".gz" else open(path, "rb") as f:
        return numpy.load(f)


def read(name, folders):
    """Returns the features and labels of the training part and of the test part."""
    base, label, dropped = SETS[name]
    if label is None:
        parts = [[array(find(folders, "%s-%s-%s.npy" % (base, part, kind))) for kind in "xy"] for part in ("train", "test")]
        return [(x.reshape(len(x), -1).astype(float), y.astype(str)) for x, y in parts]
    tables = [pandas.read_csv(find(folders, "%s-%s.csv" % (base, part)), na_values=["?"]) for part in ("train", "test")]
    labels = [t.pop(label).astype(str).to_numpy() for t in tables]
    words = [c for c in tables[0].columns if tables[0][c].dtype == object and c not in dropped]
    features = [t.drop(columns=dropped + words).to_numpy(float) for t in tables]
    if words:
        encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False).fit(tables[0][words])
        features = [numpy.hstack([x, encoder.transform(t[words])]) for x, t in zip(features, tables)]
    return list(zip(features, labels))


def run(kind, weights, seed, train, test):
    """Trains a classifier with a seed and returns its metrics on the test part."""
    (x, y), (tx, ty) = train, test
    weight = compute_sample_weight("balanced", y) if weights == "balanced" else None
    if kind == "boosted trees":
        model = HistGradientBoostingClassifier(max_iter=200, random_state=seed)
    else:
        filled = SimpleImputer(strategy="median").fit(x)
        x, tx = filled.transform(x), filled.transform(tx)
        model = RandomForestClassifier(n_estimators=300, random_state=seed)
    predicted = model.fit(x, y, sample_weight=weight).predict(tx)
    classes = sorted(set(y) | set(ty))
    return classes, {
        "seed": seed,
        "accuracy": metrics.accuracy_score(ty, predicted),
        "balanced_accuracy": metrics.balanced_accuracy_score(ty, predicted),
        "f1_macro": metrics.f1_score(ty, predicted, average="macro", zero_division=0),
        "confusion": metrics.confusion_matrix(ty, predicted, labels=classes).tolist(),
    }


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("dir", type=pathlib.Path, help="folder of `ialgn experiment tables -o`")
    options.add_argument("--data", type=pathlib.Path, default=pathlib.Path(os.environ.get("IALGN_DATA", ".")))
    options.add_argument("--only", action="append", choices=SETS, help="train only on this set, repeatable")
    given = options.parse_args()
    path = given.dir / "trees.json"
    done = {"sklearn": sklearn.__version__, "rows": []}
    if path.exists():
        done = json.loads(path.read_text())
    known = {(r["data"], r["classifier"], r["class_weight"]) for r in done["rows"]}
    for name in given.only or SETS:
        rows = [(name, k, w) for k in ("boosted trees", "random forest") for w in ("none", "balanced")]
        if known.issuperset(rows):
            continue
        try:
            train, test = read(name, [given.dir, given.data])
        except FileNotFoundError as missing:
            print("not run: %s: %s" % (name, missing), file=sys.stderr)
            continue
        for row in rows:
            if row in known:
                continue
            begun, runs = time.time(), []
            several = row[1] == "random forest" or len(train[1]) > 10000
            for seed in SEEDS if several else SEEDS[:1]:
                classes, one = run(*row[1:], seed, train, test)
                runs.append(one)
            done["rows"].append({
                "data": name, "classifier": row[1], "class_weight": row[2], "classes": classes, "runs": runs,
            })
            new = path.with_suffix(".json.new")
            new.write_text(json.dumps(done, separators=(",", ":")).replace('{"data"', '\n{"data"') + "\n")
            new.replace(path)
            shown = ["%s %.2f" % (key, 100 * numpy.mean([r[key] for r in runs]))
                     for key in ("accuracy", "balanced_accuracy", "f1_macro")]
            print(", ".join(row), *shown, "%.0f s" % (time.time() - begun), flush=True)


main()
