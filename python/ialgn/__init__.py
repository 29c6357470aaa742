"""Models of ialgn in Python: read, evaluated, made of networks from PyTorch, written.

    model = ialgn.load("digits.safetensors")
    model.predict(X)                        # class indices of samples, a row each
    ialgn.from_torch(net, tau=5).save("net.safetensors")
    ialgn.compile_c("design").predict(X)    # by the C that ialgn compile --emit c writes
    ialgn.Classifier().fit(X, y)            # an estimator of scikit-learn, which calls the program

numpy is all that it needs, but for Classifier. What is wrong with a file, an argument or a module is a ModelError.
"""

from .errors import ModelError
from .frameworks import from_torch
from .model import Model
from .modelfile import load
from .shared import Shared, compile_c

__version__ = "0.1.0"
__all__ = ["Model", "ModelError", "Shared", "compile_c", "from_torch", "load"]


def __getattr__(name):
    """Import Classifier when it is first asked for: it alone needs scikit-learn."""
    if name == "Classifier":
        from .classifier import Classifier

        return Classifier
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
