"""Tensors and small files as numpy arrays, without importing torch."""

import json
import os

import numpy as np

from ..errors import ModelError


def array(value, what):
    """Return a tensor, array or nested list as an array."""
    if hasattr(value, "detach"):
        value = value.detach().cpu()
        try:
            value = value.numpy()
        except TypeError:  # such as bfloat16, which numpy has not
            value = value.float().numpy()
    value = np.asarray(value)
    if value.dtype.kind not in "buif":
        raise ModelError("", f"{what}: {value.dtype} is no type of numbers", "give a tensor or an array of numbers")
    return value


def integers(value, what, ndim, below=None):
    """Return indices as int64, checked: so many dimensions, each at least -1 and, unless below is None, below it."""
    value = array(value, what)
    if value.ndim != ndim or value.dtype.kind not in "ui":
        raise ModelError(
            "",
            f"{what}: {value.dtype} of shape {list(value.shape)}, want integers of {ndim} dimensions",
            "check that this is the network's own",
        )
    if value.size and (value.min() < -1 or (below is not None and value.max() >= below)):
        raise ModelError(
            "",
            f"{what}: indices of {value.min()} to {value.max()}, want them below {below}",
            "check that this is the network's own",
        )
    return value.astype(np.int64)


def finite(value, what):
    """Return numbers of a network, none of which may be infinite or NaN."""
    value = array(value, what)
    if not np.isfinite(value.astype(np.float64)).all():
        raise ModelError("", f"{what}: has numbers that are not finite", "take a checkpoint of an earlier step")
    return value


def read_json(path):
    """Return what a JSON file holds."""
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except OSError as error:
        raise ModelError(path, error.strerror or str(error), "name a JSON file") from None
    except ValueError as error:
        raise ModelError(path, f"no JSON: {error}", "name a JSON file") from None


def is_path(value):
    """Report whether an argument names a file."""
    return isinstance(value, (str, os.PathLike))


def read_npy(path):
    """Return the array of a .npy file."""
    try:
        return np.load(path, allow_pickle=False)
    except OSError as error:
        raise ModelError(path, error.strerror or str(error), "name a .npy file") from None
    except ValueError as error:
        raise ModelError(path, f"no array: {error}", "name a .npy file") from None
