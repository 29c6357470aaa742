#!/usr/bin/env python3
"""Classifies the rows of a CSV file on @MODULE@_spi, over SPI.

Each row becomes the words that the design takes as training made them, by
@FILE@. It is sent in a frame, the result is read in another, and the class
is printed as `ialgn predict` prints it; where there are labels, the accuracy, too.

    python3 @NAME@ /dev/spidev0.0 samples.csv --hz 1000000

As a module it takes whatever has xfer2, as SpiDev of the package spidev has: a frame of
bytes to the device, the bytes that came back:

    design = Design("@FILE@")
    for result in answers(design, Frames(spi.xfer2), (design.sample(row) for row in rows)):
        print(design.class_of(result))

Exit status: 0 done, 1 bad input or usage, 3 the device does not answer."""
@HEADER@
import argparse
import csv
import ctypes
import fcntl
import gzip
import io
import itertools
import json
import math
import os
import struct
import sys
import time
@TABLE@

class Spidev:
    """An SPI device of Linux in mode 0, 8 bits a word (linux/spi/spidev.h)."""

    MODE, MESSAGE = 0x40016B01, 0x40206B00  # requests to write the mode, and for a message of one transfer

    def __init__(self, path, hz):
        self.path, self.hz = path, hz
        try:
            self.fd = os.open(path, os.O_RDWR)
        except OSError as e:
            raise Refused("%s: %s" % (path, e.strerror), "name the device, such as /dev/spidev0.0", 3)
        try:
            fcntl.ioctl(self.fd, self.MODE, struct.pack("B", 0))
        except OSError as e:
            os.close(self.fd)
            raise Refused("%s: no SPI device (%s)" % (path, e.strerror), "name the device, such as /dev/spidev0.0", 3)

    def xfer2(self, data):
        """A frame: the bytes that came while the given ones went."""
        out = ctypes.create_string_buffer(bytes(data), len(data))
        back = ctypes.create_string_buffer(len(data))
        message = struct.pack("=QQIIHBBBBBB", ctypes.addressof(out), ctypes.addressof(back), len(data), self.hz, 0, 8, 0, 0, 0,
                              0, 0)
        try:
            fcntl.ioctl(self.fd, self.MESSAGE, message)
        except OSError as e:
            raise Refused("%s: a frame of %d bytes: %s" % (self.path, len(data), e.strerror), "where frames are longer than "
                          "the driver takes, raise the parameter bufsiz of the module spidev", 3)
        return back.raw


class Frames:
    """Frames to the design, by a function from the bytes of one to those that came back."""

    def __init__(self, transfer, timeout=5):
        self.transfer, self.timeout, self.failed = transfer, timeout, False

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def frame(self, command, data):
        """Whether a result was there, and the bytes behind the status."""
        back = bytes(self.transfer([command] + list(data)))
        if back[0] & ~3:
            raise Refused("status 0x%02x is none of the design's" % back[0], "is it wired, powered, and mode 0, with sck at "
                          "most an eighth of its clock?", 3)
        self.failed = bool(back[0] & 2)
        return bool(back[0] & 1), back[1:]

    def clear(self, size):
        """Reads results that were left there."""
        for _ in range(4):
            if not self.frame(0, bytes(size))[0]:
                return self.failed
        raise Refused("results do not end", "reset the design", 3)

    def result(self, size, failed):
        """Waits for a result. Failed says that error was there before the sample."""
        until = time.monotonic() + self.timeout
        while True:
            there, result = self.frame(0, bytes(size))
            if there:
                return result
            if self.failed and not failed:
                raise Refused("the design has dropped a sample", "reset it, and give a lower --hz", 3)
            if time.monotonic() > until:
                raise Refused("no result within %g s" % self.timeout, "reset the design", 3)


def options(parser):
    parser.add_argument("--hz", metavar="N", type=int, default=500000, help="bits a second, at most an eighth of the "
                        "design's clock (500000)")


def connect(design, args):
    return Frames(Spidev(args.device, args.hz).xfer2, args.timeout)


def answers(design, link, wanted):
    """Sends a frame for each sample, and reads its result in another."""
    size = design.interface["result_bytes"]
    failed = link.clear(size)  # error stays until a reset, whoever caused it
    for sample in wanted:
        link.frame(1, sample)
        yield link.result(size, failed)
@MAIN@
