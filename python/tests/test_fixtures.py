"""Checkpoints that the frameworks themselves wrote, against their own scores.

Skipped without torch, which reads them, and without the folder that IALGN_FIXTURES names. Whole modules need the
classes of their frameworks, for which stand-ins without methods are enough.
"""

import glob
import importlib.abc
import importlib.machinery
import json
import os
import sys
import types
import unittest

import ialgn
import numpy as np
from support import Case

FOLDER = os.environ.get("IALGN_FIXTURES")
FRAMEWORKS = ("difflogic", "torchlogix", "torch_dwn")

try:
    import torch
except ImportError:
    torch = None


class Stubs(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds every module of the frameworks, in which every name is a class of modules."""

    def find_spec(self, name, path, target=None):
        if name.split(".")[0] in FRAMEWORKS:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        module = types.ModuleType(spec.name)
        module.__getattr__ = lambda name: self.made(module, name)
        return module

    def exec_module(self, module):
        pass

    def made(self, module, name):
        if name.startswith("__"):
            raise AttributeError(name)
        setattr(module, name, type(name, (torch.nn.Module,), {"__module__": module.__name__}))
        return getattr(module, name)


@unittest.skipUnless(torch and FOLDER, "torch or the folder of checkpoints is missing")
class FixturesTest(Case):
    @classmethod
    def setUpClass(cls):
        finder = Stubs()
        sys.meta_path.insert(0, finder)
        cls.addClassCleanup(sys.meta_path.remove, finder)

    def checkpoints(self):
        """Yield folder, facts and file name of each checkpoint."""
        for facts in sorted(glob.glob(os.path.join(FOLDER, "*", "facts.json"))):
            with open(facts, encoding="utf-8") as file:
                content = json.load(file)
            for file in sorted(glob.glob(os.path.join(os.path.dirname(facts), "*.pt"))):
                if content["framework"] != "qonnx":
                    yield os.path.dirname(facts), content, file

    def arguments(self, folder, facts, net):
        """Return what is given beside a checkpoint."""
        if not isinstance(net, torch.nn.Module):
            wiring = {"wiring": os.path.join(folder, "wiring.json")} if facts["framework"] == "difflogic" else {}
            return {"facts": os.path.join(folder, "facts.json"), **wiring}
        return {"thresholds": os.path.join(folder, "thresholds.npy")} if facts["framework"] == "dwn" else {}

    def test_scores(self):
        n = 0
        for folder, facts, file in self.checkpoints():
            name = os.path.relpath(file, FOLDER)
            with self.subTest(name):
                net = torch.load(file, map_location="cpu")
                arguments = self.arguments(folder, facts, net)
                if name.endswith("no_indices.pt"):
                    with self.assertRaisesRegex(ialgn.ModelError, "wiring|thresholds"):
                        ialgn.from_torch(net, **arguments)
                    arguments.update(self.rest(folder, facts))
                model = ialgn.from_torch(net, **arguments)
                x = np.load(os.path.join(folder, "inputs.npy"))
                model.save(self.path("model"))
                for m in (model, ialgn.load(self.path("model"))):
                    self.equal(m.scores(x), np.load(os.path.join(folder, "scores.npy")))
                    self.equal(m.predict(x), np.load(os.path.join(folder, "classes.npy")))
                n += 1
        self.assertGreater(n, 0)

    def rest(self, folder, facts):
        """Return thresholds and wiring that a state dict lacks, of the one that has them."""
        state = torch.load(os.path.join(folder, "state_dict.pt"), map_location="cpu")
        wiring, thresholds = [], None
        for key, value in state.items():
            if key.endswith("connections.indices"):
                choice = state.get(key.replace("indices", "weights"))
                wiring.append(value if choice is None else value.gather(0, choice.argmax(0, keepdim=True))[0])
            if key.endswith("raw_diffs"):
                thresholds = value.double().cumsum(-1).float()
            if key.endswith("thresholds") and thresholds is None:
                thresholds = value
        return {"wiring": wiring, **({} if thresholds is None else {"thresholds": thresholds})}

    def test_missing(self):
        """A state dict of difflogic has no wiring, and none has k and tau."""
        for folder, facts, file in self.checkpoints():
            net = torch.load(file, map_location="cpu")
            if isinstance(net, torch.nn.Module):
                continue
            with self.subTest(os.path.relpath(file, FOLDER)), self.assertRaises(ialgn.ModelError):
                ialgn.from_torch(net)
