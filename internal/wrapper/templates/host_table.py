

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
        if form != @FORMAT@ or self.interface["kind"] != "@KIND@":
            raise Refused("%s: of another form or interface" % path, "compile again, and use the files of one folder")
        self.read = [c for c in self.columns if "feature" in c]
        self.comma = "decimal" in self.about  # unless commas separate columns

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
        if is_missing(column["kind"], text):
            if not column.get("missing"):
                raise ValueError("%s: %r stands for a value that is missing" % (name, text) if text else "%s is empty" % name)
            if column["kind"] == "number":
                words[first] = self.word(first, float(column["fill"]))  # JSON has integers, too, which are not rounded
        elif column["kind"] == "category":
            if text in column["values"]:
                words[first + column["values"].index(text)] = self.words["max"]
        else:
            words[first] = self.word(first, number(name, text, self.comma))

    def word(self, feature, x):
        """The word of a real value, as training makes it, or of an integer as it is."""
        top = self.words["max"]
        if not self.words["scaled"]:
            if x != int(x) or not 0 <= x <= top:
                raise ValueError("feature %d is %g, want an integer of 0..%d" % (feature, x, top))
            return int(x)
@WORD@

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


# What says that a value is missing: in any column and in one of numbers, in upper or lower case, and what was declared.
MISSING_WORDS = [word.upper() for word in @MISSINGWORDS@]
MISSING_NUMBERS = [word.upper() for word in @MISSINGNUMBERS@]
MISSING_DECLARED = @DECLARED@


def is_missing(kind, text):
    word = text.upper()
    return word in MISSING_WORDS or kind == "number" and word in MISSING_NUMBERS or text in MISSING_DECLARED


def number(name, text, comma):
    """A finite number, with a decimal point or a decimal comma."""
    try:
        if "_" in text or not text.isascii() or comma and "." in text:  # float() takes more than decimal digits
            raise ValueError
        x = float(text.replace(",", ".", 1) if comma else text)
    except ValueError:
        raise ValueError("%s: %r is not a number" % (name, text)) from None
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
        self.text = io.TextIOWrapper(file, "utf-8-sig", newline="")

    def __iter__(self):
        """Pairs of the texts of a sample and its label, None where there is none."""
        first = True
        self.lines = csv.reader(())
        try:
            head = self.text.readline()
            separator = self.separator(head)
            self.lines = csv.reader(itertools.chain([head], self.text), delimiter=separator, skipinitialspace=separator != "\t",
                                    strict=True)
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

    def separator(self, head):
        """What separates the columns: that by which the first line has the names, or a number of columns that may be."""
        choice = ";\t," if self.design.comma else ",;\t"
        found = {s: [f.strip() for f in next(csv.reader([head], delimiter=s, skipinitialspace=s != "\t"), [])] for s in choice}
        fits = [s for s in choice if self.named(found[s])] or [s for s in choice if self.places(len(found[s]))] or [","]
        if fits[0] == ",":
            self.design.comma = False
        return fits[0]

    def pick(self, record):
        if len(record) != self.fields:
            raise self.wrong("%d columns, want %d as in the first line" % (len(record), self.fields))
        return [record[i] for i in self.at], None if self.label is None else record[self.label].strip()

    def wrong(self, what):
        return Refused("%s: line %d: %s" % (self.path, self.lines.line_num, what))

    def named(self, line):
        """Whether a line has the names of all columns that are read."""
        return all(c.get("name") in line for c in self.design.read)

    def header(self, line):
        """Finds the columns by the first line, and says whether that is a header."""
        d = self.design
        if self.named(line):
            twice = [c["name"] for c in d.read if line.count(c["name"]) > 1]
            if twice:
                raise self.wrong("two columns are named %r" % twice[0])
            self.at = [line.index(c["name"]) for c in d.read]
            self.label = self.labelled(line)
            return True
        lacks = [c["name"] for c in d.read if c.get("name") not in line and "name" in c]
        places = self.places(len(line))
        if places is None and not lacks:
            raise self.wrong("%d columns, want those of training, or those of features alone" % len(line))
        if self.is_data(line, places):
            self.at, self.label = places
            return False
        if places is None or lacks and d.words["scaled"]:
            raise self.wrong("the columns are not the design's: there is no %r" % lacks[0])
        self.at, self.label = places
        return True

    def is_data(self, line, places):
        """Whether the first line holds values, by their looks."""
        if places is None:
            return False
        numbers = [line[i] for i, c in zip(places[0], self.design.read) if c["kind"] == "number"]
        if not numbers:
            return not any(c.get("name") in line for c in self.design.columns)
        return any(is_missing("number", n) or is_number(n, self.design.comma) for n in numbers)

    def labelled(self, line):
        """The column of the label in a header that has all others by their names."""
        for name in [c.get("name") for c in self.design.columns if c["kind"] == "label"] + [self.design.about.get("label")]:
            if name in line:
                return line.index(name)
        rest = [i for i in range(len(line)) if i not in self.at]
        return rest[0] if len(rest) == 1 and "label" not in self.design.about else None

    def places(self, columns):
        """The places of the columns that are read and of the label, where so many columns have no names: all those of
        training, these without the label, or those that are read; None if there may not be so many."""
        d = self.design
        for left_out in [(), ("label",), ("label", "dropped")]:
            form = [c for c in d.columns if c["kind"] not in left_out]
            if len(form) == columns:
                labels = [i for i, c in enumerate(form) if c["kind"] == "label"]
                return [i for i, c in enumerate(form) if "feature" in c], labels[0] if labels else None
        if columns != len(d.columns) + 1 or len(d.columns) > len(d.read):
            return None
        label, place = len(d.read), d.about.get("label", "")  # of numbers alone the columns are not told; the label is last
        if place.isdigit() and 1 <= int(place) <= columns and "name" not in d.read[0]:
            label = int(place) - 1
        return [i for i in range(columns) if i != label], label


def is_number(text, comma):
    try:
        number("", text, comma)
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
    head = ["sample", "class"@UNCERTAINNAME@]
    if design.interface["counts"]["number"]:
        head += ["count_" + c for c in design.classes]
    lines.writerow(head)
    done = right = 0
    for result in results:
        name = design.class_of(result)
        lines.writerow([done, name]@UNCERTAIN@ + design.numbers(result, "counts"))
        right += labels[done] == name
        done += 1
    out.flush()
    said = "%d samples" % done
    if done and None not in labels[:done]:
        said += ", accuracy %.2f %% (%d right)" % (100 * right / done, right)
    return said
