

def main():
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")  # as predict does
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("device", help="@DEVICE@")
    parser.add_argument("samples", help="CSV file with or without a header, labels and gzip; - for the standard input")
    parser.add_argument("--samples", dest="most", metavar="N", type=int, help="classify the first N samples alone")
    parser.add_argument("--table", metavar="FILE", default=os.path.join(here, "@FILE@"), help="description of the inputs, "
                        "unless @FILE@ beside this program")
    parser.add_argument("--timeout", metavar="SECONDS", type=float, default=5, help="wait so long for an answer (5)")
    options(parser)
    args = parser.parse_args()
    try:
        design = Design(args.table)
        with connect(design, args) as link:
            labels = []
            wanted = samples(design, Table(design, args.samples), args.most, labels)
            print(report(design, answers(design, link, wanted), labels, sys.stdout), file=sys.stderr)
    except Refused as e:
        sys.stdout.flush()
        print("%s: %s" % (os.path.basename(__file__), e), file=sys.stderr)
        if e.hint:
            print("hint: %s" % e.hint, file=sys.stderr)
        return e.status
    except BrokenPipeError:  # whoever reads the classes has enough of them
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
