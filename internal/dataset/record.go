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

// records reads the records of a text. A record is a line of fields with separators between them. A field that begins
// with a quote ends with a quote, and may contain separators, line ends and doubled quotes. In other fields, a quote
// is an ordinary character. Spaces around fields are removed, and empty lines are skipped.
type records struct {
	in        *bufio.Reader
	separator byte // a space means any number of spaces and tabs
	weka      bool // ARFF: single quotes also count; a backslash escapes the next character; % begins a comment

	line   int // first line of the current record, counted from 1
	lines  int // number of lines that were read
	bytes  int // number of bytes that were read
	left   int // number of bytes that the current record may still take
	long   []byte
	text   []byte   // the fields of the current record, without separators
	ends   []int    // end of each field in text
	fields []string // fields of the current record
}

// read returns the fields of the next record. After the last record, it returns io.EOF. The slice is valid until the
// next call. The strings in it remain valid.
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

// nextLine returns the next line without its line end. The result is valid until the next call.
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

// split takes the fields of a line. While a quote is open, it also takes the following lines.
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

// trimmed returns a line without leading spaces. It keeps spaces that are separators.
func (r *records) trimmed(line []byte) []byte {
	if r.separator == '\t' {
		return bytes.TrimLeft(line, " ")
	}
	return bytes.TrimLeftFunc(line, unicode.IsSpace)
}

// cut removes the separator at the beginning of a line. The boolean result is false at the end of the line.
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

// quoted takes a field in quotes at the beginning of a line. It returns the rest of the line, which is empty or
// begins with a separator.
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
