"""Writes test images of MNIST as CSV, a row an image and its label last, for the program at the other end of the line:

    python3 samples.py FOLDER N > samples.csv

FOLDER has t10k-images-idx3-ubyte.gz and t10k-labels-idx1-ubyte.gz.
"""

import csv
import gzip
import os
import struct
import sys


def read(path, fields):
    """Returns the sizes in the header of an IDX file of bytes, and the bytes."""
    with gzip.open(path) as file:
        sizes = struct.unpack(f">{fields}I", file.read(4 * fields))[1:]
        return sizes, file.read()


def main(folder, n):
    (images, *size), pixels = read(os.path.join(folder, "t10k-images-idx3-ubyte.gz"), 4)
    _, labels = read(os.path.join(folder, "t10k-labels-idx1-ubyte.gz"), 2)
    width = size[0] * size[1]
    writer = csv.writer(sys.stdout, lineterminator="\n")
    for i in range(min(n, images)):
        writer.writerow([*pixels[i * width:(i + 1) * width], labels[i]])


if __name__ == "__main__":
    if len(sys.argv) != 3 or not sys.argv[2].isdecimal():
        sys.exit(__doc__)
    main(sys.argv[1], int(sys.argv[2]))
