#!/usr/bin/env python3
"""Classifies the rows of a CSV file on @MODULE@_byte, over its pins.

Each row becomes the words that the design takes as training made them, by
@FILE@. It is sent byte by byte, and the class that comes back is printed as
`ialgn predict` prints it; where there are labels, the accuracy, too. This program
gives the clock, too, by the lines of a GPIO chip:

    python3 @NAME@ /dev/gpiochip0 samples.csv --lines clk=2,rst_n=3,ui=4-11,uo=12-19,uio=20-26

As a module it takes a function for a clock with given inputs (rst_n, ui_in and uio_in). The
function returns the outputs before the rising edge (uo_out and uio_out):

    design = Design("@FILE@")
    for result in answers(design, Pins(clock), (design.sample(row) for row in rows)):
        print(design.class_of(result))

Exit status: 0 done, 1 bad input or usage, 3 the device does not answer."""
@HEADER@
import argparse
import csv
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
IN_VALID, IN_READY, IN_LAST, OUT_VALID, OUT_READY, OUT_LAST, ERROR = (1 << bit for bit in range(7))  # of uio
WIDTHS = {"clk": 1, "rst_n": 1, "ui": 8, "uo": 8, "uio": 7}
OUTPUTS = IN_READY | OUT_VALID | OUT_LAST | ERROR


def lines_of(text):
    """The numbers of the lines that the pins of the design are on, from clk=2,rst_n=3,ui=4-11,uo=12-19,uio=20-26."""
    lines = {}
    for part in text.split(","):
        name, _, numbers = part.partition("=")
        first, _, last = numbers.partition("-")
        try:
            lines[name] = list(range(int(first), int(last or first) + 1))
        except ValueError:
            raise Refused("--lines %s: %r is not NAME=NUMBER or NAME=FIRST-LAST" % (text, part))
        if len(lines[name]) != WIDTHS.get(name, 0):
            raise Refused("--lines %s: %s has %d lines, want %s" % (
                text, name, len(lines[name]), " and ".join("%d of %s" % (w, n) for n, w in WIDTHS.items())))
    every = [number for numbers in lines.values() for number in numbers]
    if len(lines) != len(WIDTHS) or len(set(every)) != len(every):
        raise Refused("--lines %s: give each of %s once, on lines of their own" % (text, ", ".join(WIDTHS)))
    return lines


class Lines:
    """The pins as lines of a GPIO chip of Linux (linux/gpio.h)."""

    REQUEST, GET, SET = 0xC250B407, 0xC010B40E, 0xC010B40F  # for lines, for their values, to set their values
    INPUT, OUTPUT = 1 << 2, 1 << 3  # directions of lines, as this program has them

    def __init__(self, path, lines):
        self.path = path
        uio = list(enumerate(lines["uio"]))
        read = lines["uo"] + [line for bit, line in uio if OUTPUTS >> bit & 1]
        written = lines["clk"] + lines["rst_n"] + lines["ui"] + [line for bit, line in uio if not OUTPUTS >> bit & 1]
        try:
            chip = os.open(path, os.O_RDWR)
        except OSError as e:
            raise Refused("%s: %s" % (path, e.strerror), "name the GPIO chip, such as /dev/gpiochip0", 3)
        try:
            self.read, self.written = self.request(chip, read, self.INPUT), self.request(chip, written, self.OUTPUT)
        finally:
            os.close(chip)

    def request(self, chip, lines, direction):
        config = struct.pack("=QI20x240x", direction, 0)
        offsets = struct.pack("=64I", *lines, *[0] * (64 - len(lines)))
        request = bytearray(offsets + b"ialgn".ljust(32, b"\0") + config + struct.pack("=II20xi", len(lines), 0, 0))
        self.call(chip, self.REQUEST, request)
        return struct.unpack("=i", request[-4:])[0]

    def call(self, fd, code, argument):
        try:
            fcntl.ioctl(fd, code, argument)
        except OSError as e:
            raise Refused("%s: lines %s" % (self.path, e.strerror), "are they free, and of this chip?", 3)

    def put(self, clk, rst_n, ui, uio):
        ins = [bit for bit in range(7) if not OUTPUTS >> bit & 1]
        bits = clk | rst_n << 1 | ui << 2 | sum((uio >> bit & 1) << 10 + i for i, bit in enumerate(ins))
        self.call(self.written, self.SET, bytearray(struct.pack("=QQ", bits, (1 << 10 + len(ins)) - 1)))

    def clock(self, rst_n, ui, uio):
        """A clock with these inputs: the outputs before its rising edge."""
        self.put(0, rst_n, ui, uio)
        outs = [bit for bit in range(7) if OUTPUTS >> bit & 1]
        values = bytearray(struct.pack("=QQ", 0, (1 << 8 + len(outs)) - 1))
        self.call(self.read, self.GET, values)
        bits = struct.unpack("=QQ", values)[0]
        self.put(1, rst_n, ui, uio)
        return bits & 255, sum((bits >> 8 + i & 1) << bit for i, bit in enumerate(outs))


class Pins:
    """The design, by a function for one of its clocks."""

    def __init__(self, clock, timeout=5):
        self.clock, self.timeout = clock, timeout
        for _ in range(4):
            self.clock(0, 0, 0)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def result(self, sample, size):
        """Sends a sample and takes the bytes of its result."""
        at, result, until = 0, [], time.monotonic() + self.timeout
        while True:
            valid = at < len(sample)
            uio = OUT_READY | (IN_VALID if valid else 0) | (IN_LAST if at == len(sample) - 1 else 0)
            byte, out = self.clock(1, sample[at] if valid else 0, uio)
            if out & ERROR:
                raise Refused("the design has dropped a sample", "are ui and uio wired in order?", 3)
            if out & OUT_VALID:
                result.append(byte)
                if bool(out & OUT_LAST) != (len(result) == size):
                    raise Refused("a result has not %d bytes" % size, "are uo and uio wired in order?", 3)
                if len(result) == size:
                    return bytes(result)
            if valid and out & IN_READY:
                at += 1
            if time.monotonic() > until:
                raise Refused("no result within %g s" % self.timeout, "is the design selected, and wired as --lines says?", 3)


def options(parser):
    parser.add_argument("--lines", metavar="LIST", required=True, help="lines of the chip that the pins are on: clk, rst_n, "
                        "ui, uo, and uio without bit 7, the lowest bit first")


def connect(design, args):
    return Pins(Lines(args.device, lines_of(args.lines)).clock, args.timeout)


def answers(design, link, wanted):
    """Sends samples, and gives their results in order."""
    size = design.interface["result_bytes"]
    for sample in wanted:
        yield link.result(sample, size)
@MAIN@
