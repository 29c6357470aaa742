package dataset

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode"

	"ialgn/internal/message"
)

// records reads the records of a text: lines of fields between separators. A field that begins with a quote ends with
// one, and may hold separators, line ends and doubled quotes; in any other field a quote is a character like others.
// Spaces around fields are left out, and so are empty lines.
type records struct {
	in        *bufio.Reader
	separator byte // a space stands for any number of spaces and tabs
	weka      bool // single quotes are quotes, too, a backslash takes the next character as it is, and % begins a comment

	line   int // of the text, from 1: the first of the current record
	lines  int // that have been read
	bytes  int // that have been read
	left   int // bytes that the current record may still have
	long   []byte
	text   []byte   // the fields of the current record, one behind the other
	ends   []int    // where each ends in text
	fields []string // of the current record
}

// read returns the fields of the next record, which are valid until the record after that, though their texts stay.
// It returns io.EOF after the last one.
func (r *records) read() ([]string, error) {
	r.left = maxRecord
	for {
		line, err := r.nextLine()
		if err != nil {
			return nil, err
		}
		r.line = r.lines
		plain := r.trimmed(line)
		if len(plain) == 0 || r.weka && plain[0] == '%' {
			r.left = maxRecord
			continue
		}
		r.text, r.ends = r.text[:0], r.ends[:0]
		if err := r.split(line); err != nil {
			return nil, fmt.Errorf("line %d: %w", r.line, err)
		}
		all, at := string(r.text), 0
		r.fields = r.fields[:0]
		for _, end := range r.ends {
			r.fields, at = append(r.fields, all[at:end]), end
		}
		return r.fields, nil
	}
}

// nextLine returns the next line without its end, valid until the one after it.
func (r *records) nextLine() ([]byte, error) {
	r.long = r.long[:0]
	for {
		part, err := r.in.ReadSlice('\n')
		r.bytes += len(part)
		if r.left -= len(part); r.left < 0 {
			return nil, fmt.Errorf("longer than %d MiB: a quote is not closed, or the file is not CSV", maxRecord>>20)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			r.long = append(r.long, part...)
			continue
		}
		if len(r.long) > 0 {
			r.long = append(r.long, part...)
			part = r.long
		}
		if err != nil && (!errors.Is(err, io.EOF) || len(part) == 0) {
			return nil, err
		}
		r.lines++
		return bytes.TrimSuffix(bytes.TrimSuffix(part, []byte("\n")), []byte("\r")), nil
	}
}

// split takes the fields of a line, and of those after it while a quote is open.
func (r *records) split(line []byte) (err error) {
	if r.separator == ' ' {
		line = bytes.TrimSpace(line)
	}
	for more := true; more; {
		start := r.trimmed(line)
		if len(start) > 0 && r.isQuote(start[0]) {
			if line, err = r.quoted(start); err != nil {
				return err
			}
			line, more = r.cut(line)
			continue
		}
		end := bytes.IndexByte(line, r.separator)
		if r.separator == ' ' {
			end = bytes.IndexAny(line, " \t")
		}
		if more = end >= 0; !more {
			end = len(line)
		}
		r.text = append(r.text, bytes.TrimSpace(line[:end])...)
		r.ends = append(r.ends, len(r.text))
		if more {
			line, _ = r.cut(line[end:])
		}
	}
	return nil
}

// trimmed returns a line without the spaces at its beginning, which separate nothing.
func (r *records) trimmed(line []byte) []byte {
	if r.separator == '\t' {
		return bytes.TrimLeft(line, " ")
	}
	return bytes.TrimLeftFunc(line, unicode.IsSpace)
}

// cut leaves out the separator at the beginning of a line, and reports whether there is one.
func (r *records) cut(line []byte) (rest []byte, more bool) {
	if len(line) == 0 {
		return line, false
	}
	if r.separator == ' ' {
		return bytes.TrimLeft(line, " \t"), true
	}
	return line[1:], true
}

func (r *records) isQuote(c byte) bool { return c == '"' || r.weka && c == '\'' }

// quoted takes a field in quotes at the beginning of a line, and returns what comes after it: nothing or a separator.
func (r *records) quoted(line []byte) (rest []byte, err error) {
	quote, begun := line[0], r.lines
	for line = line[1:]; ; {
		end := bytes.IndexByte(line, quote)
		if escape := bytes.IndexByte(line, '\\'); r.weka && escape >= 0 && (end < 0 || escape < end) && escape+1 < len(line) {
			r.text = append(append(r.text, line[:escape]...), line[escape+1])
			line = line[escape+2:]
			continue
		}
		if end >= 0 {
			r.text = append(r.text, line[:end]...)
			if line = line[end+1:]; len(line) == 0 || line[0] != quote {
				break
			}
			r.text, line = append(r.text, quote), line[1:]
			continue
		}
		r.text = append(append(r.text, line...), '\n')
		line, err = r.nextLine()
		if errors.Is(err, io.EOF) {
			return nil, message.WithHint(fmt.Errorf("the quote of column %d is not closed", len(r.ends)+1),
				"close the quote that opens the field, and double a quote inside the field; see line %d", begun)
		} else if err != nil {
			return nil, err
		}
	}
	r.ends = append(r.ends, len(r.text))
	after := r.trimmed(line)
	if len(after) > 0 && after[0] != r.separator && (r.separator != ' ' || len(after) == len(line)) {
		return nil, message.WithHint(fmt.Errorf("column %d: %s follows the quote that closes the field", len(r.ends),
			shown(string(after))), `inside a quoted field, double each quote: "5"" pipe"`)
	}
	if r.separator == ' ' {
		return line, nil
	}
	return after, nil
}
