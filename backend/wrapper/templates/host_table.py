

class Refused(Exception):
    """Bad input, or a device that does not answer as it should: what, and how to mend it."""

    def __init__(self, message, hint="", status=1):
        super().__init__(message)
        self.hint = hint
        self.status = status


class Design:
    """What @FILE@ says: how samples are made of rows, and what results are."""

    def __init__(self, path):
        try:
            with open(path, encoding="utf-8") as file:
                self.about = json.load(file)
            self.words = self.about["words"]
            self.features = self.about["features"]
            self.columns = self.about["columns"]
            self.classes = self.about["classes"]
            self.interface = self.about["interface"]
            form = self.about["format"]
        except OSError as e:
            raise Refused("%s: %s" % (path, e.strerror), "give the file that compile wrote with --table FILE")
        except (ValueError, KeyError) as e:
            raise Refused("%s: no description of inputs (%s)" % (path, e), "compile again")
        if form != 1 or self.interface["kind"] != "@KIND@":
            raise Refused("%s: of another form or interface" % path, "compile again, and use the files of one folder")
        self.read = [c for c in self.columns if "feature" in c]

    def sample(self, row):
        """The bytes of a row of texts, one for each column that is read."""
        return self.pack(self.word_list(row))

    def word_list(self, row):
        words = [0] * len(self.features)
        for column, text in zip(self.read, row):
            self.column_words(words, column, text.strip())
        return words

    def column_words(self, words, column, text):
        """Writes the words of the features of a column."""
        first = column["feature"]
        name = column.get("name") or "column of feature %d" % first
        if column.get("missing") and text.upper() in ("", "NA", "N/A", "NAN", "NULL", "?"):
            if column["kind"] == "number":
                words[first] = self.word(first, column["fill"])
        elif column["kind"] == "category":
            if text == "":
                raise ValueError("%s is empty" % name)
            if text in column["values"]:
                words[first + column["values"].index(text)] = self.words["max"]
        else:
            words[first] = self.word(first, number(name, text))

    def word(self, feature, x):
        """The word of a real value, as training makes it, or of an integer as it is."""
        top = self.words["max"]
        if not self.words["scaled"]:
            if x != int(x) or not 0 <= x <= top:
                raise ValueError("feature %d is %g, want an integer of 0..%d" % (feature, x, top))
            return int(x)
        scale = self.features[feature]["scale"]
        v = (x - self.features[feature]["offset"]) * scale
        if scale == 0 or not v > 0:
            return 0
        if v >= top:
            return top
        word = int(v)
        return word + (v >= word + 0.5)  # halves away from zero

    def pack(self, words):
        """The bytes of words, or of the thermometer bits of a design that takes these."""
        lane = self.interface["word_bits"]
        if "thresholds" in self.about:
            words = [int(w > t) for w, row in zip(words, self.about["thresholds"]) for t in row]
        if lane >= 8:
            return b"".join(w.to_bytes(lane // 8, "little") for w in words)
        packed = bytearray(self.interface["sample_bytes"])
        for i, w in enumerate(words):
            packed[i // 8] |= (w & 1) << i % 8
        return bytes(packed)

    def numbers(self, result, digits):
        """The numbers of a kind in the bytes of a result."""
        value, where = int.from_bytes(result, "little"), self.interface[digits]
        return [value >> where["first"] + i * where["step"] & (1 << where["bits"]) - 1 for i in range(where["number"])]

    def class_of(self, result):
        index = self.numbers(result, "class")[0]
        if index >= len(self.classes):
            raise Refused("class %d of %d was answered" % (index, len(self.classes)),
                          "does the device hold the design of this folder?", 3)
        return self.classes[index]


def number(name, text):
    """A finite number."""
    try:
        if "_" in text:
            raise ValueError
        x = float.fromhex(text) if "0x" in text.lower() else float(text)
    except (ValueError, OverflowError):
        raise ValueError("%s is empty" % name if text == "" else "%s: %r is not a number" % (name, text)) from None
    if not -math.inf < x < math.inf:
        raise ValueError("%s: %r is not a finite number" % (name, text))
    return x


class Table:
    """The rows of a CSV file, gzip or not, as texts of the columns that the design reads, with their labels."""

    def __init__(self, design, path):
        self.design, self.path = design, path
        try:
            file = sys.stdin.buffer if path == "-" else open(path, "rb")
            if path != "-" and file.read(2) == b"\x1f\x8b":
                file = gzip.open(path)
            elif path != "-":
                file.seek(0)
        except OSError as e:
            raise Refused("%s: %s" % (path, e.strerror), "name a CSV file of samples, or - for the standard input")
        self.lines = csv.reader(io.TextIOWrapper(file, "utf-8-sig", newline=""), skipinitialspace=True, strict=True)

    def __iter__(self):
        """Pairs of the texts of a sample and its label, None where there is none."""
        first = True
        try:
            for record in self.lines:
                if record and first:
                    self.fields, first = len(record), False
                    if self.header([f.strip() for f in record]):
                        continue
                if record:
                    yield self.pick(record)
        except (OSError, EOFError, UnicodeDecodeError, csv.Error) as e:
            raise Refused("%s: line %d: %s" % (self.path, self.lines.line_num, e))
        if first:
            raise Refused("%s: the file is empty" % self.path)

    def pick(self, record):
        if len(record) != self.fields:
            raise self.wrong("%d columns, want %d as in the first line" % (len(record), self.fields))
        return [record[i] for i in self.at], None if self.label is None else record[self.label].strip()

    def wrong(self, what):
        return Refused("%s: line %d: %s" % (self.path, self.lines.line_num, what))

    def header(self, line):
        """Finds the columns by the first line, and says whether that is a header."""
        d = self.design
        names = [c.get("name", "") for c in d.read]
        self.label = None
        if all(names) and set(names) <= set(line):
            twice = [n for n in names if line.count(n) > 1]
            if twice:
                raise self.wrong("two columns are named %r" % twice[0])
            self.at = [line.index(n) for n in names]
            self.label = self.labelled(line)
            return True
        self.by_place(len(line))
        fields = [line[i] for i, c in zip(self.at, d.read) if c["kind"] == "number"]
        if not fields or any(is_number(f) for f in fields):
            return False
        if d.words["scaled"] and all(names):
            lacks = [n for n in names if n not in line]
            raise self.wrong("the header has no column %r" % lacks[0])
        return True

    def labelled(self, line):
        """The column of the label in a header that has all others by their names."""
        for name in [c.get("name") for c in self.design.columns if c["kind"] == "label"] + [self.design.about.get("label")]:
            if name in line:
                return line.index(name)
        rest = [i for i in range(len(line)) if i not in self.at]
        return rest[0] if len(rest) == 1 and "label" not in self.design.about else None

    def by_place(self, columns):
        """Finds the columns where no name tells: all those of training, or those that are read and perhaps a label."""
        d = self.design
        labels = [i for i, c in enumerate(d.columns) if c["kind"] == "label"]
        if columns == len(d.read):
            self.at = list(range(columns))
        elif columns == len(d.columns):
            self.at = [i for i, c in enumerate(d.columns) if "feature" in c]
            self.label = labels[0] if labels else None
        elif columns == len(d.read) + 1:
            place = d.about.get("label", "")
            before = [c for c in d.columns if c["kind"] != "dropped"]
            kinds = [c["kind"] for c in before]
            if "label" in kinds:
                self.label = kinds.index("label")
            elif place.isdigit() and 1 <= int(place) <= columns and not d.read[0].get("name"):
                self.label = int(place) - 1
            else:
                self.label = columns - 1
            self.at = [i for i in range(columns) if i != self.label]
        else:
            raise self.wrong("%d columns, want %d features and at most a label" % (columns, len(d.read)))


def is_number(text):
    try:
        float(text)
        return True
    except ValueError:
        return False


def samples(design, table, most, labels):
    """The bytes of each sample of a table. Labels are appended to a list as they come."""
    for row, label in table:
        if most is not None and len(labels) == most:
            return
        try:
            sample = design.sample(row)
        except ValueError as e:
            raise table.wrong(e) from None
        labels.append(label)
        yield sample


def report(design, results, labels, out):
    """Prints each result as it comes, and returns what there is to say at the end."""
    lines = csv.writer(out, lineterminator="\n")
    head = ["sample", "class"]
    if design.interface["counts"]["number"]:
        head += ["count_" + c for c in design.classes]
    lines.writerow(head)
    done = right = 0
    for result in results:
        name = design.class_of(result)
        lines.writerow([done, name] + design.numbers(result, "counts"))
        right += labels[done] == name
        done += 1
    out.flush()
    said = "%d samples" % done
    if done and None not in labels[:done]:
        said += ", accuracy %.2f %% (%d right)" % (100 * right / done, right)
    return said
