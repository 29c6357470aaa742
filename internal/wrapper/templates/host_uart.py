#!/usr/bin/env python3
"""Classifies the rows of a CSV file on @MODULE@_uart, over a serial line.

Each row becomes the words that the design takes as training made them, by
@FILE@. It is sent, and the class that comes back is printed as
`ialgn predict` prints it; where there are labels, the accuracy, too.

    python3 @NAME@ /dev/ttyUSB1 samples.csv

Exit status: 0 done, 1 bad input or usage, 3 the device does not answer."""
@HEADER@
import argparse
import csv
import gzip
import io
import itertools
import json
import math
import os
import select
import sys
import termios
import time
@TABLE@

class Line:
    """A serial line: 8 data bits, no parity, one stop bit, no flow control."""

    def __init__(self, path, baud, timeout):
        self.path, self.timeout, self.rest = path, timeout, b""
        rate = getattr(termios, "B%d" % baud, None)
        if rate is None:
            known = sorted(int(n[1:]) for n in dir(termios) if n[0] == "B" and n[1:].isdigit())
            raise Refused("%d baud: this system cannot be asked for it" % baud, "compile with a --baud of %s" %
                          ", ".join(str(b) for b in known if b >= 9600))
        try:
            self.fd = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        except OSError as e:
            raise Refused("%s: %s" % (path, e.strerror), "name the device of the serial line, such as /dev/ttyUSB1", 3)
        try:
            control = termios.tcgetattr(self.fd)[6]
            control[termios.VMIN], control[termios.VTIME] = 0, 0
            mode = termios.CS8 | termios.CREAD | termios.CLOCAL
            termios.tcsetattr(self.fd, termios.TCSANOW, [0, 0, mode, 0, rate, rate, control])
            termios.tcflush(self.fd, termios.TCIOFLUSH)
        except termios.error as e:
            os.close(self.fd)
            raise Refused("%s: not a serial line that has %d baud (%s)" % (path, baud, e.args[-1]), status=3)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        os.close(self.fd)

    def ready(self, reads, writes):
        """Waits until something moves."""
        ready = select.select(reads, writes, [], self.timeout)
        if not ready[0] and not ready[1]:
            raise Refused("%s: no answer within %g s" % (self.path, self.timeout), "is it the line of the design, with its "
                          "rate? error, on the device, says that a sample was dropped", 3)
        return ready

    def take(self):
        try:
            got = os.read(self.fd, 4096)
        except OSError as e:
            raise Refused("%s: %s" % (self.path, e.strerror), "was it unplugged?", 3)
        if not got:
            raise Refused("%s: the line has ended" % self.path, "was it unplugged?", 3)
        self.rest += got

    def send(self, data):
        """Sends bytes, and keeps what comes meanwhile."""
        while data:
            reads, writes, _ = self.ready([self.fd], [self.fd])
            if reads:
                self.take()
            if writes:
                try:
                    data = data[os.write(self.fd, data):]
                except BlockingIOError:
                    pass
                except OSError as e:
                    raise Refused("%s: %s" % (self.path, e.strerror), "was it unplugged?", 3)

    def receive(self, size):
        while len(self.rest) < size:
            self.ready([self.fd], [])
            self.take()
        got, self.rest = self.rest[:size], self.rest[size:]
        return got


def options(parser):
    parser.add_argument("--baud", metavar="N", type=int, help="bits a second, unless those that the design was compiled with")


def connect(design, args):
    """Opens the line, and lets it rest as long as the design needs to be sure that a sample begins."""
    baud = args.baud or design.interface["baud"]
    link = Line(args.device, baud, args.timeout)
    time.sleep(1.1 * design.interface["idle_bits"] / baud)
    return link


def answers(design, link, wanted):
    """Sends samples, a few of them ahead where the design allows it, and gives their results in order."""
    size, ahead = design.interface["result_bytes"], design.interface["ahead"]
    waiting = 0
    for sample in wanted:
        link.send(sample)
        waiting += 1
        while waiting >= ahead:
            yield link.receive(size)
            waiting -= 1
    for _ in range(waiting):
        yield link.receive(size)
@MAIN@
