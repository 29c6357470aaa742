package main

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"ialgn/internal/testkit"
)

// realPart is the command "real FILE N". A script begins with "[!real] skip REASON", because the data are not in the
// repository.
func realPart(ts *testscript.TestScript, neg bool, args []string) {
	want(ts, neg, args, 2)
	dir, ok := testkit.RealData("real")
	n, err := strconv.Atoi(args[1])
	if !ok || err != nil || n < 1 {
		ts.Fatalf("real %q: no data, or no number of at least 1", args)
	}
	whole, err := os.ReadFile(filepath.Join(dir, "real", args[0]))
	ts.Check(err)
	r, err := gzip.NewReader(bytes.NewReader(whole))
	ts.Check(err)
	text, err := io.ReadAll(r)
	ts.Check(err)
	part := everyLine
	if strings.HasSuffix(args[0], ".npy.gz") {
		part = everySample
	}
	text, err = part(text, n)
	ts.Check(err)
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err = w.Write(text)
	ts.Check(err)
	ts.Check(w.Close())
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), out.Bytes(), 0o666))
}

// everyLine returns the header of a table and every nth line after it.
func everyLine(text []byte, n int) ([]byte, error) {
	var part []byte
	i := 0
	for line := range bytes.Lines(text) {
		if i == 0 || (i-1)%n == 0 {
			part = append(part, line...)
		}
		i++
	}
	return part, nil
}

var npyHeader = regexp.MustCompile(`'descr': '([^']*)', 'fortran_order': False, 'shape': \((\d+),([^)]*)\)`)

// everySample returns every nth sample of an array in NumPy's format, version 1.
func everySample(array []byte, n int) ([]byte, error) {
	if len(array) < 10 || len(array) < 10+int(binary.LittleEndian.Uint16(array[8:])) {
		return nil, fmt.Errorf("%d bytes are no array", len(array))
	}
	body := array[10+int(binary.LittleEndian.Uint16(array[8:])):]
	header := npyHeader.FindSubmatch(array[:len(array)-len(body)])
	if header == nil {
		return nil, fmt.Errorf("no header of an array before the last %d of %d bytes", len(body), len(array))
	}
	samples, err := strconv.Atoi(string(header[2]))
	if err != nil || samples < 1 || len(body)%samples != 0 {
		return nil, fmt.Errorf("%d bytes for %s samples", len(body), header[2])
	}
	size := len(body) / samples
	var part []byte
	for i := 0; i < samples; i += n {
		part = append(part, body[i*size:(i+1)*size]...)
	}
	return testkit.NPY(string(header[1]), fmt.Sprintf("%d,%s", len(part)/size, header[3]), part), nil
}

// TestEverySample takes a part of arrays and of a table.
func TestEverySample(t *testing.T) {
	for _, c := range []struct{ shape, elements, wantShape, want string }{
		{"5,", "abcde", "(3,)", "ace"},
		{"4, 2", "aabbccdd", "(2, 2)", "aacc"},
	} {
		got, err := everySample(testkit.NPY("|u1", c.shape, []byte(c.elements)), 2)
		if err != nil || !bytes.HasSuffix(got, []byte(c.want)) || bytes.HasSuffix(got, []byte("b"+c.want)) ||
			!bytes.Contains(got, []byte("'shape': "+c.wantShape)) {
			t.Errorf("every second sample of %s is %q, %v; want %q", c.elements, got, err, c.want)
		}
	}
	if _, err := everySample([]byte("no array, but a text"), 2); err == nil {
		t.Error("a text is taken as an array")
	}
	if got, _ := everyLine([]byte("head\n1\n2\n3\n"), 2); string(got) != "head\n1\n3\n" {
		t.Errorf("every second line is %q", got)
	}
}
