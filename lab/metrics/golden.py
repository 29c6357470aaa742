"""Writes the golden values of internal/metrics, by scikit-learn 1.2 and scipy:

    /usr/bin/python3 lab/metrics/golden.py > internal/metrics/testdata/golden.json

Each case has a confusion matrix. Cases of two classes also have a score for each sample of each class. Cases with counts
have the label of each sample, and its count of each class. Probabilities are scipy's softmax of counts / temperature.
"""

import json
import sys
import warnings

import numpy
import sklearn
from scipy.special import softmax
from scipy.stats import binomtest
from sklearn import metrics

warnings.simplefilter("ignore")  # of classes without samples, whose values the tests are about
random = numpy.random.default_rng(50)


def interval(successes, samples):
    if samples == 0:
        return [0, 1]
    return list(binomtest(int(successes), int(samples)).proportion_ci(0.95, "wilson"))


def case(name, classes, labels, predicted, scores=None):
    labels, predicted = numpy.array(labels), numpy.array(predicted)
    precision, recall, f1, support = metrics.precision_recall_fscore_support(
        labels, predicted, labels=range(classes), zero_division=0
    )
    right = (labels == predicted).sum()
    c = {
        "name": name,
        "confusion": metrics.confusion_matrix(labels, predicted, labels=range(classes)).tolist(),
        "precision": precision.tolist(),
        "recall": recall.tolist(),
        "f1": f1.tolist(),
        "support": support.astype(int).tolist(),
        "recall_interval": [interval(((labels == predicted) & (labels == k)).sum(), n) for k, n in enumerate(support)],
        "accuracy": metrics.accuracy_score(labels, predicted),
        "accuracy_interval": interval(right, len(labels)),
        "balanced_accuracy": metrics.balanced_accuracy_score(labels, predicted),
        "f1_macro": metrics.f1_score(labels, predicted, average="macro", zero_division=0),
        "matthews_corrcoef": metrics.matthews_corrcoef(labels, predicted),
    }
    if scores is not None:
        scores = numpy.array(scores)
        c["scores"] = [scores[labels == k].tolist() for k in range(2)]
        c["average_precision"] = metrics.average_precision_score(labels, scores)
        if len(set(labels)) == 2:  # otherwise scikit-learn refuses
            c["roc_auc"] = metrics.roc_auc_score(labels, scores)
    return c


def expected_calibration_error(labels, predicted, confidence):
    """Guo et al. 2017: 15 bins (k / 15, (k + 1) / 15], each weighted by its share of the samples."""
    bins = numpy.linspace(0, 1, 16)
    error = 0
    for low, high in zip(bins[:-1], bins[1:]):
        inside = (confidence > low) & (confidence <= high)
        if inside.any():
            accuracy = (labels == predicted)[inside].mean()
            error += inside.mean() * abs(accuracy - confidence[inside].mean())
    return error


def counted(name, samples, classes, temperature, spread, skill):
    """A case with integer counts, and the results if samples with small leads are not answered."""
    labels = random.integers(classes, size=samples)
    counts = random.integers(spread, size=(samples, classes))
    counts[numpy.arange(samples), labels] += (random.random(samples) * skill).astype(int)
    predicted = counts.argmax(axis=1)
    c = case(name, classes, labels, predicted)
    probabilities = softmax(counts / temperature, axis=1)
    c["labels"], c["counts"], c["temperature"] = labels.tolist(), counts.tolist(), temperature
    c["log_loss"] = metrics.log_loss(labels, probabilities, labels=range(classes))
    c["expected_calibration_error"] = expected_calibration_error(labels, predicted, probabilities.max(axis=1))
    c["rejection"] = []
    ordered = numpy.sort(counts, axis=1)
    lead = ordered[:, -1] - ordered[:, -2]
    for margin in range(lead.max() + 1):
        answered = lead >= margin
        truth, guess = labels[answered], predicted[answered]
        c["rejection"].append(
            {
                "Samples": int(answered.sum()),
                "Correct": int((truth == guess).sum()),
                "Balanced": metrics.balanced_accuracy_score(truth, guess),
            }
        )
    return c


def drawn(name, classes, samples, skill, skew):
    """A case with random labels, of which the share skill is predicted as it is. Class frequencies fall by skew."""
    share = skew ** numpy.arange(classes)
    labels = random.choice(classes, samples, p=share / share.sum())
    predicted = numpy.where(random.random(samples) < skill, labels, random.integers(classes, size=samples))
    return case(name, classes, labels, predicted)


def ranked(name, samples, share, shift, spread):
    """A case of two classes with integer scores, many of them equal if spread is small."""
    labels = (random.random(samples) < share).astype(int)
    scores = numpy.rint(random.normal(size=samples) * spread + shift * labels).astype(int)
    return case(name, 2, labels, (scores > 0).astype(int), scores)


cases = [
    case("one sample, right", 2, [1], [1], [3]),
    case("one sample, wrong", 2, [0], [1], [3]),
    case("no positive samples", 2, [0, 0, 0], [0, 1, 0], [-1, 2, -1]),
    case("no negative samples", 2, [1, 1, 1], [0, 1, 0], [-1, 2, -1]),
    case("all scores equal", 2, [0, 1, 1, 0, 1], [0, 0, 0, 0, 0], [0, 0, 0, 0, 0]),
    case("perfect ranks", 2, [0, 0, 1, 1], [0, 0, 1, 1], [-2, -1, 1, 2]),
    case("reversed ranks", 2, [0, 0, 1, 1], [1, 1, 0, 0], [2, 1, -1, -2]),
    case("all right", 3, [0, 1, 2, 2], [0, 1, 2, 2]),
    case("all wrong", 3, [0, 1, 2, 2], [1, 2, 0, 1]),
    case("all predicted as one class", 3, [0, 1, 2, 2], [2, 2, 2, 2]),
    case("all of one class", 3, [1, 1, 1, 1], [0, 1, 2, 1]),
    case("all of one class, right", 3, [1, 1, 1], [1, 1, 1]),
    case("a class without samples", 3, [0, 0, 2, 2], [0, 1, 2, 0]),
    case("a class without predictions", 3, [0, 1, 2, 2], [0, 0, 2, 2]),
    case("a class without both", 4, [0, 1, 3, 3, 1], [0, 0, 3, 3, 1]),
]
for i, (classes, samples, skill, skew) in enumerate(
    [(2, 9, 0.5, 1), (2, 400, 0.9, 0.05), (3, 40, 0.0, 0.5), (4, 12, 0.7, 0.8), (5, 3000, 0.9, 0.2)]
    + [(7, 700, 0.8, 0.9), (10, 30, 0.5, 0.7), (10, 20000, 0.97, 1), (12, 100, 0.3, 0.4)]
):
    cases.append(drawn("random %d" % i, classes, samples, skill, skew))
for i, (samples, share, shift, spread) in enumerate(
    [(5, 0.5, 1, 1), (20, 0.3, 0, 1), (60, 0.1, 3, 2), (100, 0.5, 5, 40), (200, 0.9, -2, 1), (300, 0.02, 4, 2)]
):
    cases.append(ranked("random scores %d" % i, samples, share, shift, spread))
for i, (samples, classes, temperature, spread, skill) in enumerate(
    [(1, 2, 1.5, 3, 4), (40, 3, 1e6, 9, 3), (60, 2, 2, 4, 6), (80, 10, 0.05, 5, 9), (200, 5, 4.1, 30, 40), (100, 3, 9, 20, 0)]
):
    cases.append(counted("random counts %d" % i, samples, classes, temperature, spread, skill))

print("scikit-learn " + sklearn.__version__, file=sys.stderr)
print("[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]")
