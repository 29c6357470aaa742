"""Classifies samples with the program PROGRAM for SPI as a module: a frame is written to the pipe TO with its length
before it, and as many bytes are read from the pipe FROM.

    python3 frames.py PROGRAM TO FROM SAMPLES"""

import importlib.util
import os
import sys

program, to, back, samples = sys.argv[1:]
sys.dont_write_bytecode = True
spec = importlib.util.spec_from_file_location("host", program)
host = importlib.util.module_from_spec(spec)
spec.loader.exec_module(host)

sink = open(to, "wb", buffering=0)
source = open(back, "rb", buffering=0)


def xfer2(data):
    sink.write(len(data).to_bytes(2, "little") + bytes(data))
    got = b""
    while len(got) < len(data):
        got += source.read(len(data) - len(got))
    return list(got)


table = os.path.join(os.path.dirname(program), "%s.json" % os.path.basename(program)[: -len("_host.py")])
try:
    design, labels = host.Design(table), []
    wanted = host.samples(design, host.Table(design, samples), None, labels)
    print(host.report(design, host.answers(design, host.Frames(xfer2), wanted), labels, sys.stdout), file=sys.stderr)
except host.Refused as e:
    sys.exit("%s (%s)" % (e, e.hint))
