package dataset

import (
	"archive/zip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ialgn/internal/filekind"
	"ialgn/internal/message"
)

// array reads an array file record by record. The records are the elements of the array's first dimension.
type array struct {
	*stream
	element
	order    binary.ByteOrder
	count    int   // number of records according to the header
	dims     []int // dimensions of a record
	features int   // number of elements of a record
	places   []int // for each feature, its element in the record; if nil, feature f is element f
	shape    Shape // shape of images; zero if records are not images
	fortran  bool  // the first dimension varies fastest in the file, so records are interleaved
	done     int
	buf      []byte // one record
	begun    int    // number of bytes of the next record that are already in buf
}

// These are the magic numbers at the beginning of files.
const (
	npyMagic = "\x93NUMPY"
	zipMagic = "PK\x03\x04"
)

// openArray opens an array file of NumPy or IDX. The records must be stored one after the other.
func openArray(f file) (*array, error) {
	s, err := f.stream()
	if err != nil {
		return nil, err
	}
	return arrayOf(s)
}

// arrayOf reads the header of an array. The records must be stored one after the other. On an error, arrayOf closes
// the stream.
func arrayOf(s *stream) (*array, error) {
	a, err := anyArrayOf(s)
	if err == nil && a.fortran {
		s.Close()
		return nil, message.WithHint(fmt.Errorf("%s: header: the array is in Fortran order, want C order", s.name),
			"save numpy.ascontiguousarray(x)")
	}
	return a, err
}

// anyArrayOf reads the header of an array. The elements may be stored in any order. On an error, anyArrayOf closes
// the stream.
func anyArrayOf(s *stream) (*array, error) {
	a := &array{stream: s}
	var err error
	switch {
	case s.begins(npyMagic):
		err = a.npy()
	case s.begins("\x00\x00"):
		err = a.idx()
	case s.begins(zipMagic):
		s.Close()
		return nil, s.archived()
	default:
		if err := s.foreign(); err != nil {
			s.Close()
			return nil, err
		}
		err = message.WithHint(errors.New("neither a NumPy array nor an IDX file"),
			"save the array with numpy.save, or use data.set: csv")
	}
	if err == nil {
		err = a.measure()
	}
	if err != nil {
		s.Close()
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	return a, nil
}

// archived returns the error for a file that is an archive. The error calls the file an archive of arrays if the
// file's name has the ending of such archives.
func (s *stream) archived() error {
	if err := s.foreign(); err != nil {
		return err
	}
	if strings.HasSuffix(s.name, archiveEnding) {
		return message.WithHint(fmt.Errorf("%s: an archive of arrays, but no array is named", s.name), "write %s:NAME",
			s.name)
	}
	return message.WithHint(fmt.Errorf("%s: an archive, such as a spreadsheet", s.name),
		"save a table as CSV, or unpack the archive; the name of an archive of arrays ends in %s", archiveEnding)
}

// foreign returns an error if the file is of a kind that never holds samples. It returns nil if the file may hold
// samples.
func (s *stream) foreign() error {
	if _, err := s.Peek(1); err != nil {
		return nil
	}
	head, _ := s.Peek(s.Buffered()) // without waiting for more
	return filekind.ExplainData(s.name, head)
}

// idx reads the header of an IDX file.
func (a *array) idx() error {
	x := &idx{stream: a.stream}
	if err := x.header(""); err != nil {
		return err
	}
	a.element, a.order, a.count = *elementOf(x.code), binary.BigEndian, x.count
	if a.dims = []int{x.size}; x.shape != (Shape{}) {
		a.dims = []int{x.shape.Planes, x.shape.Height, x.shape.Width}
	}
	return nil
}

// maxNPYHeader is the greatest length of an array's header in bytes. Headers of readable types have about a hundred
// bytes.
const maxNPYHeader = 1 << 12

// These are the entries of NumPy's headers.
var (
	npyType    = regexp.MustCompile(`'descr': *'([<>|=]?)([a-zA-Z][0-9]*)'`)
	npyFortran = regexp.MustCompile(`'fortran_order': *(True|False)`)
	npyShape   = regexp.MustCompile(`'shape': *\(([0-9, ]*)\)`)
)

// npy reads the header of a NumPy array, which consists of the magic number, a version, the length of the
// description, and the description.
func (a *array) npy() error {
	head := make([]byte, len(npyMagic)+2)
	if _, err := io.ReadFull(a, head); err != nil {
		return fmt.Errorf("header: %w", damaged(err))
	}
	version := head[len(npyMagic)]
	if version < 1 || version > 3 {
		return message.WithHint(fmt.Errorf("header: version %d of the format, want 1 to 3", version),
			"save it with numpy.save")
	}
	size := make([]byte, 2)
	if version > 1 {
		size = make([]byte, 4)
	}
	if _, err := io.ReadFull(a, size); err != nil {
		return fmt.Errorf("header: %w", damaged(err))
	}
	n := uint32(binary.LittleEndian.Uint16(size))
	if len(size) == 4 {
		n = binary.LittleEndian.Uint32(size)
	}
	if n > maxNPYHeader {
		return fmt.Errorf("header: length of %d bytes, want at most %d", n, maxNPYHeader)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(a, text); err != nil {
		return fmt.Errorf("header: %w", damaged(err))
	}
	return a.describe(string(text))
}

// describe reads NumPy's description of an array.
func (a *array) describe(text string) error {
	kind, fortran, shape := npyType.FindStringSubmatch(text), npyFortran.FindStringSubmatch(text),
		npyShape.FindStringSubmatch(text)
	if fortran == nil || shape == nil || kind == nil {
		return message.WithHint(fmt.Errorf("header: %.60q does not describe an array of numbers", text),
			"save it with numpy.save as an array of one type")
	}
	e := elementOf(kind[2])
	if e == nil {
		return &elementError{kind[2]}
	}
	a.element, a.order, a.fortran = *e, binary.LittleEndian, fortran[1] == "True"
	if kind[1] == ">" {
		a.order = binary.BigEndian
	}
	for i, field := range strings.Split(strings.TrimSuffix(strings.ReplaceAll(shape[1], " ", ""), ","), ",") {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return fmt.Errorf("header: shape (%s), want the number of samples and their dimensions", shape[1])
		}
		if i == 0 {
			a.count = int(min(n, math.MaxInt32))
			continue
		}
		a.dims = append(a.dims, int(min(n, MaxFeatures+1)))
	}
	return nil
}

// measure computes the size of a record, and decides whether it is an image.
func (a *array) measure() error {
	a.features = 1
	for i, n := range a.dims {
		if n < 1 || a.features*n > MaxFeatures {
			return fmt.Errorf("header: dimension %d is %d, want samples of 1 to %d numbers", i+1, n, MaxFeatures)
		}
		a.features *= n
	}
	a.buf = make([]byte, a.features*a.size)
	switch d := a.dims; len(d) {
	case 0, 1:
	case 2:
		a.shape = Shape{1, d[0], d[1]}
	case 3:
		if a.shape = (Shape{d[0], d[1], d[2]}); planes(d[2]) && !planes(d[0]) {
			a.planesLast()
		}
	default:
		return fmt.Errorf("header: each sample has %d dimensions, want 1 to 3", len(d))
	}
	return nil
}

// planes reports whether an image can have n planes. Grey images have 1 plane, colour images have 3, and colour
// images with opacity have 4.
func planes(n int) bool { return n == 1 || n == 3 || n == 4 }

// planesLast handles images whose last dimension is the planes. It reorders their features so that each plane is
// contiguous.
func (a *array) planesLast() {
	height, width, planes := a.dims[0], a.dims[1], a.dims[2]
	a.shape = Shape{planes, height, width}
	for p := range planes {
		for pixel := range height * width {
			a.places = append(a.places, pixel*planes+p)
		}
	}
}

// next reads the features of the next record. After the last record, it returns io.EOF. It returns an error if more
// bytes follow the last record.
func (a *array) next(dst []float64) error {
	if a.done == a.count {
		return a.last()
	}
	if _, err := io.ReadFull(a, a.buf[a.begun:]); err != nil {
		return a.cut(err)
	}
	a.begun = 0
	a.done++
	for f := range dst {
		at := f
		if a.places != nil {
			at = a.places[f]
		}
		x := a.decode(a.order, a.buf[at*a.size:])
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return a.fault(a.done, "feature %d is %v, want a finite number", f, x)
		}
		dst[f] = x
	}
	return nil
}

// last returns io.EOF if the file ends after the last record.
func (a *array) last() error {
	if err := a.end(a.count); err != nil {
		return err
	}
	return io.EOF
}

// cut returns the error for the next record if it cannot be read.
func (a *array) cut(err error) error {
	return a.fault(a.done+1, "the header announces %d: %w", a.count, damaged(err))
}

// plainBytes reports whether the elements are bytes in the order of the features.
func (a *array) plainBytes() bool { return a.code == "u1" && a.places == nil }

// nextBytes reads records of plain bytes into dst, which must have room for one record. It waits for only one record,
// and returns all further records that are available. If there is an error, it returns the number of records before
// the error. It returns the same errors as the method next.
func (a *array) nextBytes(dst []byte) (records int, err error) {
	if a.done == a.count {
		return 0, a.last()
	}
	dst = dst[:min(len(dst)/a.features, a.count-a.done)*a.features]
	n := copy(dst, a.buf[:a.begun])
	for n < a.features && err == nil {
		var more int
		more, err = a.Read(dst[n:])
		n += more
	}
	records = n / a.features
	a.done += records
	a.begun = copy(a.buf, dst[records*a.features:n])
	if err != nil && n < len(dst) {
		return records, a.cut(err)
	}
	return records, nil
}

// arrayFile returns the file at a path. The path may end in a colon and the name of an array in an archive.
func arrayFile(path string) file {
	archive, name, in := inArchive(path)
	if !in {
		return onDisk(path)
	}
	return file{path, func() (io.ReadCloser, error) {
		f, err := os.Open(archive)
		if err != nil {
			return nil, err
		}
		r, err := member(f, name)
		if err != nil {
			f.Close()
			return nil, err
		}
		return &memberReader{r, f}, nil
	}}
}

// ReadArray reads a whole array. The parameter limit is the largest number of elements that it accepts. ReadArray
// returns the shape from the header, and the numbers in C order. All numbers must be finite. ReadArray also reads
// arrays in Fortran order, in which numpy.save writes a transposed or permuted array. name is the array's name in
// errors.
func ReadArray(name string, r io.Reader, limit int) (shape []int, values []float64, err error) {
	s, err := file{name, func() (io.ReadCloser, error) { return io.NopCloser(r), nil }}.stream()
	if err != nil {
		return nil, nil, err
	}
	a, err := anyArrayOf(s)
	if err != nil {
		return nil, nil, err
	}
	defer a.Close()
	a.places = nil
	if a.count > limit/a.features {
		return nil, nil, fmt.Errorf("%s: header: %d x %d numbers, want at most %d", a.name, a.count, a.features, limit)
	}
	row := make([]float64, a.features)
	for {
		switch err := a.next(row); {
		case errors.Is(err, io.EOF):
			shape := append([]int{a.count}, a.dims...)
			if a.fortran {
				values = cOrder(shape, values)
			}
			return shape, values, nil
		case err != nil:
			return nil, nil, err
		}
		values = append(values, row...)
	}
}

// cOrder reorders elements from Fortran order to C order. In C order, the last dimension varies fastest.
func cOrder(shape []int, values []float64) []float64 {
	out, at := make([]float64, len(values)), make([]int, len(shape))
	for _, v := range values {
		to := 0
		for i, n := range shape {
			to = to*n + at[i]
		}
		out[to] = v
		for i := range at {
			if at[i]++; at[i] < shape[i] {
				break
			}
			at[i] = 0
		}
	}
	return out
}

// IsArray reports whether a path names an array of NumPy or IDX. A path with the ending of an archive of arrays
// counts too.
func IsArray(path string) bool {
	s, err := arrayFile(path).stream()
	if err != nil {
		return false
	}
	defer s.Close()
	return s.isArray() && (!s.begins(zipMagic) || strings.HasSuffix(path, archiveEnding))
}

// begins reports whether a stream begins with the given text.
func (s *stream) begins(text string) bool {
	head, _ := s.Peek(len(text))
	return string(head) == text
}

// isArray reports whether a stream begins like an array or like an archive of arrays.
func (s *stream) isArray() bool {
	return slices.ContainsFunc([]string{npyMagic, zipMagic, "\x00\x00"}, s.begins)
}

// archiveEnding is the ending of the names of array archives.
const archiveEnding = ".npz"

// inArchive splits a path into the path of an archive and the name of an array in the archive. The boolean result is
// false for other paths.
func inArchive(path string) (archive, name string, in bool) {
	at := strings.LastIndex(path, archiveEnding+":")
	if at < 0 {
		return path, "", false
	}
	at += len(archiveEnding)
	return path[:at], path[at+1:], true
}

// memberReader reads a member of an archive.
type memberReader struct {
	io.ReadCloser
	archive io.Closer
}

// Close closes the member and the archive.
func (m *memberReader) Close() error { return errors.Join(m.ReadCloser.Close(), m.archive.Close()) }

// member opens the array with the given name in an archive.
func member(f *os.File, name string) (io.ReadCloser, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	z, err := zip.NewReader(f, info.Size())
	if err != nil {
		return nil, fmt.Errorf("not an archive of arrays (%w)", err)
	}
	var names []string
	for _, m := range z.File {
		short := strings.TrimSuffix(m.Name, ".npy")
		if names = append(names, short); short == name {
			return m.Open()
		}
	}
	return nil, message.Near(fmt.Errorf("no array %q in the archive, which has %s", name, abridged(names)), name, names)
}
