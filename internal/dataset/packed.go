package dataset

import (
	"encoding/binary"
	"math"
	"os"
)

// packedRows stores rows of numbers exactly, in compressed blocks of rows. In each block, every number of a column
// takes the same number of bytes, which depends on the range of the column. Numbers with few digits are stored as
// multiples of a negative power of ten. A few blocks are kept in memory. Further blocks are written to a temporary
// file without a name, if this is possible.
type packedRows struct {
	columns, rows int
	size          int       // number of rows in a full block
	filling       []float64 // the rows of the last, incomplete block, ordered by column
	blocks        []rowBlock
	held          int // total bytes of the blocks in memory
	file          *os.File
	written       int64
	full          bool // a write to the file has failed
}

// rowBlock is a block of rows. The field data has the bytes of the block if they are in memory. If data is nil, the
// block is in the file.
type rowBlock struct {
	data []byte
	at   int64
	n    int
}

// These are the sizes of packed rows.
const (
	mostHeld    = 2 << 20 // greatest total size of the blocks in memory, in bytes
	blockValues = 1 << 15
	mostRows    = 1 << 10 // greatest number of rows in a block
	leastRows   = 1 << 4
	columnHead  = 10 // bytes
	wordBytes   = 8
)

// The form of a packed column is plainFloats or an exponent of ten. withMissing may be added to an exponent.
const (
	plainFloats = 31   // the values are stored as float64
	withMissing = 0x80 // the largest code means NaN
)

func newPacked(columns int) *packedRows {
	return &packedRows{columns: columns, size: min(max(blockValues/columns, leastRows), mostRows)}
}

// add appends a row.
func (p *packedRows) add(row []float64) {
	if p.filling == nil {
		p.filling = make([]float64, p.columns*p.size)
	}
	at := p.rows % p.size
	for c, x := range row {
		p.filling[c*p.size+at] = x
	}
	if p.rows++; at == p.size-1 {
		p.flush()
	}
}

// flush completes a block.
func (p *packedRows) flush() {
	n := p.rows - len(p.blocks)*p.size
	if n == 0 {
		return
	}
	var data []byte
	for c := range p.columns {
		data = appendColumn(data, p.filling[c*p.size:][:n])
	}
	data = append(data, make([]byte, wordBytes)...) // padding, so that eight bytes can be read at each number
	p.blocks = append(p.blocks, rowBlock{data: append(make([]byte, 0, len(data)), data...), n: len(data)})
	if p.held += len(data); p.held > mostHeld && !p.full {
		p.full = !p.spill()
	}
}

// end completes the last block.
func (p *packedRows) end() {
	p.flush()
	p.filling = nil
}

// spill writes the blocks in memory to the file. It returns false if that fails.
func (p *packedRows) spill() bool {
	if p.file == nil && !p.create() {
		return false
	}
	for i := range p.blocks {
		b := &p.blocks[i]
		if b.data == nil {
			continue
		}
		if _, err := p.file.WriteAt(b.data, p.written); err != nil {
			return false
		}
		b.data, b.at = nil, p.written
		p.written += int64(b.n)
		p.held -= b.n
	}
	return true
}

// create creates the file. The file has no name, so that it disappears when the program ends for any reason.
func (p *packedRows) create() bool {
	f, err := os.CreateTemp("", "ialgn-data-")
	if err != nil {
		return false
	}
	if os.Remove(f.Name()) != nil { // fails on systems that do not remove open files
		f.Close()
		os.Remove(f.Name())
		return false
	}
	p.file = f
	return true
}

// each calls fn with the rows in order, together with their numbers, counted from 0. The functions column and row
// select the columns and the rows. The values of other columns are undefined. fn must not keep a row.
func (p *packedRows) each(column, row func(i int) bool, fn func(i int, x []float64) error) error {
	values, x := make([]float64, p.columns*p.size), make([]float64, p.columns)
	var wanted []int
	for c := range p.columns {
		if column(c) {
			wanted = append(wanted, c)
		}
	}
	var buf []byte
	for b := range p.blocks {
		data, err := p.load(&p.blocks[b], &buf)
		if err != nil {
			return err
		}
		first := b * p.size
		n := min(p.size, p.rows-first)
		for c := range p.columns {
			data = unpackColumn(values[c*p.size:][:n], data, column(c))
		}
		for i := range n {
			if !row(first + i) {
				continue
			}
			for _, c := range wanted {
				x[c] = values[c*p.size+i]
			}
			if err := fn(first+i, x); err != nil {
				return err
			}
		}
	}
	return nil
}

// load returns the bytes of a block. If the bytes are not in memory, it reads them into buf.
func (p *packedRows) load(b *rowBlock, buf *[]byte) ([]byte, error) {
	if b.data != nil {
		return b.data, nil
	}
	if cap(*buf) < b.n {
		*buf = make([]byte, b.n)
	}
	_, err := p.file.ReadAt((*buf)[:b.n], b.at)
	return (*buf)[:b.n], err
}

// powers holds the powers of ten, indexed by exponent.
var powers = [16]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// appendColumn packs the numbers of a column. Some of the numbers may be NaN.
func appendColumn(dst []byte, values []float64) []byte {
	for k, power := range powers {
		if lo, hi, missing, ok := multiples(values, power); ok {
			return appendMultiples(dst, values, k, lo, hi, missing)
		}
	}
	dst = append(dst, plainFloats, wordBytes, 0, 0, 0, 0, 0, 0, 0, 0)
	for _, x := range values {
		dst = binary.LittleEndian.AppendUint64(dst, math.Float64bits(x))
	}
	return dst
}

// multiples returns the range of the products of the numbers and a power of ten. ok is false if a product is not a
// whole number, or if a number cannot be restored exactly from its product.
func multiples(values []float64, power float64) (lo, hi int64, missing, ok bool) {
	lo, hi = math.MaxInt64, math.MinInt64
	for _, x := range values {
		if math.IsNaN(x) {
			missing = true
			continue
		}
		n := math.RoundToEven(x * power)
		if !(math.Abs(n) < 1<<53) || math.Float64bits(float64(int64(n))/power) != math.Float64bits(x) {
			return 0, 0, false, false
		}
		lo, hi = min(lo, int64(n)), max(hi, int64(n))
	}
	if lo > hi {
		lo, hi = 0, 0
	}
	return lo, hi, missing, true
}

// appendMultiples packs numbers as multiples of a negative power of ten. It stores each multiple minus the smallest
// multiple.
func appendMultiples(dst []byte, values []float64, exponent int, lo, hi int64, missing bool) []byte {
	codes, form := uint64(hi-lo), byte(exponent)
	if missing {
		codes, form = codes+1, form|withMissing
	}
	width := 0
	for codes>>(8*width) != 0 {
		width++
	}
	dst = binary.LittleEndian.AppendUint64(append(dst, form, byte(width)), uint64(lo))
	var word [wordBytes]byte
	for _, x := range values {
		code := uint64(math.MaxUint64)
		if !math.IsNaN(x) {
			code = uint64(int64(math.RoundToEven(x*powers[exponent])) - lo)
		}
		binary.LittleEndian.PutUint64(word[:], code)
		dst = append(dst, word[:width]...)
	}
	return dst
}

// unpackColumn reads the numbers of a column if wanted is true. It returns the bytes after the column.
func unpackColumn(dst []float64, data []byte, wanted bool) (rest []byte) {
	form, width, lo := data[0], int(data[1]), int64(binary.LittleEndian.Uint64(data[2:]))
	data = data[columnHead:]
	rest = data[len(dst)*width:]
	if !wanted {
		return rest
	}
	if form == plainFloats {
		for i := range dst {
			dst[i] = math.Float64frombits(binary.LittleEndian.Uint64(data[wordBytes*i:]))
		}
		return rest
	}
	mask, missing, power := uint64(1)<<(8*width)-1, form&withMissing != 0, powers[form&^withMissing]
	for i := range dst {
		code := binary.LittleEndian.Uint64(data[width*i:]) & mask
		if dst[i] = float64(lo+int64(code)) / power; missing && code == mask {
			dst[i] = math.NaN()
		}
	}
	return rest
}
