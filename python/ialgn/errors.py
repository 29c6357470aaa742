"""The error that everything in this package raises for what a user can mend."""

# The remedy for what no version of ialgn writes.
DAMAGED = "the file is damaged or was changed; take a fresh copy of it or train again"


class ModelError(ValueError):
    """Says which file, or other source, is wrong in what way, and how to mend it.

    The three parts are the attributes file, reason and remedy; file and remedy may be empty.
    """

    def __init__(self, file, reason, remedy=""):
        self.file, self.reason, self.remedy = str(file), reason, remedy
        text = f"{self.file}: {reason}" if self.file else reason
        super().__init__(f"{text}; {remedy}" if remedy else text)

    def __reduce__(self):
        return ModelError, (self.file, self.reason, self.remedy)


class Fault(Exception):
    """A reason without its file, which whoever knows the file adds."""

    def __init__(self, reason, remedy=DAMAGED):
        super().__init__(reason)
        self.reason, self.remedy = reason, remedy

    def of(self, file):
        """Return the ModelError of a file."""
        return ModelError(file, self.reason, self.remedy)
