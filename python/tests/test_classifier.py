"""The estimator of scikit-learn."""

import importlib.util
import os
import pickle
import subprocess
import sys
import unittest
import warnings

import ialgn
import numpy as np
from support import PROGRAM, Case, run_ialgn

# Some of the checks of scikit-learn, those that train little; all of them pass, and take half a minute.
CHECKS = (
    "check_estimators_pickle",
    "check_dtype_object",
    "check_estimators_empty_data_messages",
    "check_estimator_sparse_data",
    "check_complex_data",
    "check_classifiers_one_label",
    "check_classifiers_regression_target",
    "check_supervised_y_no_nan",
    "check_estimators_unfitted",
    "check_parameters_default_constructible",
    "check_get_params_invariance",
    "check_set_params",
    "check_fit2d_1sample",
    "check_dont_overwrite_parameters",
    "check_n_features_in",
    "check_requires_y_none",
)


class WithoutTest(unittest.TestCase):
    def test_import(self):
        """The package is imported without scikit-learn, and says what Classifier needs."""
        code = (
            "import sys; sys.modules['sklearn'] = None\n"
            "import ialgn\n"
            "try: ialgn.Classifier\n"
            "except ImportError as error: print(error)\n"
        )
        out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        self.assertIn("ialgn.Classifier needs scikit-learn", out)


@unittest.skipUnless(PROGRAM, "IALGN does not name the program")
@unittest.skipUnless(importlib.util.find_spec("sklearn"), "scikit-learn is missing (Debian package python3-sklearn)")
class ClassifierTest(Case):
    def setUp(self):
        super().setUp()
        r = np.random.default_rng(3)
        self.x = r.normal(size=(90, 3))
        self.kind = np.array(["b, c", "a", "ü"])[(self.x[:, 0] > 0).astype(int) + (self.x[:, 1] > 0.3)]

    def test_labels(self):
        """Labels of any type come back as they were, also from a copy that was pickled."""
        one = self.kind == "a"
        for labels in (self.kind.astype(object), one, np.where(one, 10, 9), np.where(one, -1.0, 2.0)):
            with self.subTest(labels.dtype):
                c = ialgn.Classifier(epochs=2, random_state=2).fit(self.x, labels)
                predicted = c.predict(self.x)
                self.assertEqual(predicted.dtype, labels.dtype)
                self.equal(c.classes_, np.unique(labels))
                texts = [str(v) if labels.dtype.kind in "bOU" else str(int(v)) for v in predicted.tolist()]
                self.equal(texts, c.model_.predict_names(self.x))
                proba = c.predict_proba(self.x)
                counts = c.model_.counts(self.x)
                self.assertEqual(proba.shape, (90, len(c.classes_)))
                alone = (counts == counts.max(axis=1, keepdims=True)).sum(axis=1) == 1
                self.equal(c.classes_[proba.argmax(axis=1)][alone], predicted[alone])
                lead = np.sort(counts, axis=1)
                self.equal(c.uncertain(self.x, 2), lead[:, -1] - lead[:, -2] < 2)
                self.equal(pickle.loads(pickle.dumps(c)).predict(self.x), predicted)

    def test_words_and_missing(self):
        """Columns of words become categories, and NaN is a missing value, also where training had none."""
        colour = np.where(self.kind == "a", "red", 'gr"een').astype(object)
        x = np.column_stack([self.x.astype(object), colour, np.where(self.x[:, 0] > 0, "None", None)])
        x[3, 0], x[4, 3], x[6, 1] = np.nan, None, "#N/A"  # which is no word among numbers
        c = ialgn.Classifier(epochs=5, settings={"model.anchors": 8}).fit(x, self.kind)
        self.assertEqual(c.model_.features, ("x0", "x1", "x2", 'x3=gr"een', "x3=red", "x4=None"))
        self.assertEqual(c.model_.config["model"]["anchors"], 8)
        x[5, 1] = np.nan
        self.assertEqual(c.predict(x).shape, (90,))
        self.assertFalse(hasattr(c, "feature_names_in_"))

    def test_frame(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is missing (Debian package python3-pandas)")
        frame = pandas.DataFrame(self.x, columns=["2", "label", "c d"])
        c = ialgn.Classifier(epochs=5, folder=self.path("kept")).fit(frame, pandas.Series(self.kind))
        self.assertEqual(c.model_.features, ("2", "label", "c d"))
        self.assertEqual(list(c.feature_names_in_), list(frame.columns))
        with self.assertRaisesRegex(ValueError, "same order"):
            c.predict(frame[frame.columns[::-1]])
        with self.assertRaisesRegex(ValueError, "unseen at fit time"):
            c.predict(frame.rename(columns={"2": "3"}))
        self.equal(c.model_.predict_names(frame[frame.columns[::-1]]), c.predict(frame))
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            self.equal(c.predict(self.x), c.predict(frame))
        self.assertIn("does not have valid feature names", str(seen[0].message))
        kept = self.path("kept")
        run_ialgn("eval", os.path.join(kept, "classifier.safetensors"), "--data", kept, "--quiet")

    def test_refused(self):
        for parameters, want in (
            ({"program": self.path("none")}, "none: No such file.*by the parameter program"),
            ({"settings": {"model.widht": 3}}, "did you mean model.width"),
            ({"width": 31}, "31 chains cannot be split into 3 classes"),
        ):
            with self.assertRaisesRegex(ialgn.ModelError, want):
                ialgn.Classifier(**parameters).fit(self.x, self.kind)

    def test_within_scikit_learn(self):
        from sklearn.model_selection import GridSearchCV, cross_val_score
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        steps = make_pipeline(StandardScaler(), ialgn.Classifier(epochs=40))
        self.assertGreater(cross_val_score(steps, self.x, self.kind, cv=2).mean(), 0.7)
        search = GridSearchCV(ialgn.Classifier(epochs=5), {"width": [15, 30]}, cv=2, error_score="raise")
        self.assertIn(search.fit(self.x, self.kind).best_params_["width"], (15, 30))

    def test_rules(self):
        from sklearn.utils.estimator_checks import check_estimator

        known = 0
        for estimator, check in check_estimator(ialgn.Classifier(epochs=1), generate_only=True):
            name = check.func.__name__
            if name in CHECKS:
                known += 1
                with self.subTest(name), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    check(estimator)
        self.assertGreater(known, 10)
