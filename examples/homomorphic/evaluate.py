"""Evaluates a program of `ialgn compile --emit fhe-lut` in the clear, on the vectors of its folder.

usage: python3 evaluate.py DIR

The vectors are test samples with the results of the trained network. A bit of all samples is one Python number, in the
place of a ciphertext. For a library, replace the methods of Clear.
"""

import glob
import sys


GATES = {
    "and": lambda a, b: a & b, "nand": lambda a, b: ~(a & b), "or": lambda a, b: a | b, "nor": lambda a, b: ~(a | b),
    "xor": lambda a, b: a ^ b, "xnor": lambda a, b: ~(a ^ b),
}


class Clear:
    """Bits that are not encrypted. Bit s of a number is the bit of sample s."""

    def __init__(self, samples):
        self.ones = (1 << samples) - 1
        self.bootstraps = 0

    def constant(self, value):
        return self.ones if value else 0

    def invert(self, a):
        return a ^ self.ones

    def gate(self, name, a, b):
        self.bootstraps += 1
        return GATES[name](a, b) & self.ones

    def lut(self, table, bits):
        """Bit b0 + 2 b1 + 4 b2 + 8 b3 of the table, for the bits b0, b1 and so on."""
        self.bootstraps += 1
        result = 0
        for index in range(1 << len(bits)):
            if table >> index & 1:
                term = self.ones
                for i, bit in enumerate(bits):
                    term &= bit if index >> i & 1 else self.invert(bit)
                result |= term
        return result


def evaluate(path, scheme, inputs):
    """Returns the bits of each output of the program, and the number of levels."""
    wires, outputs, levels = [], {}, 0

    def operand(word):
        if word in ("false", "true"):
            return scheme.constant(word == "true")
        if word.startswith("!"):
            return scheme.invert(wires[int(word[1:])])
        return wires[int(word)]

    for line in open(path):
        word = line.split()
        if word[0] == "input":
            wires += inputs[word[1]]
        elif word[0] == "level":
            levels += 1
        elif word[0] == "output":
            outputs[word[1]] = [operand(w) for w in word[2:]]
        elif word[0].isdigit():  # a step, whose wire is the next one
            if word[1] == "lut":
                wires.append(scheme.lut(int(word[2], 16), [operand(w) for w in word[3:]]))
            else:
                wires.append(scheme.gate(word[1], operand(word[2]), operand(word[3])))
    return outputs, levels


def rows(numbers, width):
    """Returns for each bit of the numbers the bits of all samples."""
    return [sum((n >> i & 1) << s for s, n in enumerate(numbers)) for i in range(width)]


def main(folder):
    (program,) = glob.glob(folder + "/*.fhe")
    (vectors,) = glob.glob(folder + "/*_vectors.txt")
    samples = [[int(word, 16) for word in line.split()] for line in open(vectors) if not line.startswith("#")]
    width = next(int(line.split()[2]) for line in open(program) if line.startswith("input x "))
    scheme = Clear(len(samples))
    outputs, levels = evaluate(program, scheme, {"x": rows([s[0] for s in samples], width)})
    wrong = 0
    for column, bits in enumerate(outputs.values(), 1):  # the outputs follow x in the vectors
        for got, want in zip(bits, rows([s[column] for s in samples], len(bits))):
            wrong |= got ^ want
    print(f"{len(samples)} samples, {scheme.bootstraps} bootstraps each in {levels} levels: "
          f"{bin(wrong).count('1')} differ from the trained network")
    return wrong != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
