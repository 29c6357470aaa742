package model

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"

	"ialgn/internal/outfile"
	"ialgn/internal/ranks"
)

// Staged is a model file that the ranks of a run have written together under a temporary name. Each rank writes its
// own chains, and rank 0 writes the rest. Every rank must call the methods of its Staged.
type Staged struct {
	comm ranks.Comm
	file *outfile.File // the file, as this rank opened it

	// header is the file's header with the checksum, and unsigned is the header without the checksum. Only rank 0 has
	// these fields and the checksum.
	header, unsigned []byte
	sum              uint32
}

// beginning holds the data about a new file that rank 0 sends to the other ranks.
type beginning struct {
	Temporary string // name of the temporary file, without its folder
	Header    int64  // size of the header in bytes, including its length
	Size      int64  // size of the file in bytes
	Tensors   string // digest of the tensors' names, types and shapes
}

// Stage writes a model and a checkpoint's additional data (extra) under a temporary name in the folder of path. The
// file has the bytes that [Model.Write] writes. All ranks that train together call Stage with their parts of the
// network. If c is nil, there is only a single process. Rank 0 provides the metadata and the tensors without runs. If
// one rank fails, all ranks get an error and the temporary file is removed. The error does not name path.
func (m *Model) Stage(c ranks.Comm, path string, extra Extra) (*Staged, error) {
	if c == nil {
		c = ranks.Alone{}
	}
	s := &Staged{comm: c}
	if err := s.write(m, path, extra); err != nil {
		s.Abort()
		return nil, err
	}
	return s, nil
}

// SaveBy is [Model.Save] for all ranks of a run. Every rank gets the file's SHA-256. If c is nil, there is only a
// single process.
func (m *Model) SaveBy(c ranks.Comm, path string) (string, error) {
	s, err := m.Stage(c, path, Extra{})
	var sum string
	if err == nil {
		sum, err = s.commit(true)
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return sum, nil
}

// write writes the file. Rank 0 creates the file. Each rank writes its runs of the tensors and computes the
// contribution of these runs to the checksum. Rank 0 then writes the header.
func (s *Staged) write(m *Model, path string, extra Extra) error {
	header, tensors, err := m.layout(extra)
	at, err := s.begin(path, header, tensors, err)
	if err != nil {
		return err
	}
	own, err := s.writeRuns(path, at, tensors)
	all, err := ranks.Agree(s.comm, own.encode(), err)
	if err != nil {
		return err
	}
	if s.comm.Rank() == 0 {
		err = s.sign(header, at.Size, all)
	}
	_, err = ranks.Agree(s.comm, nil, err)
	return err
}

// begin creates the file on rank 0 and sends its name and layout to all ranks. If a rank has an error, no file is
// created.
func (s *Staged) begin(path string, header []byte, tensors []Tensor, err error) (at beginning, _ error) {
	var said []byte
	if err == nil && s.comm.Rank() == 0 {
		if s.file, err = outfile.Create(path); err == nil {
			at.Temporary, at.Header = filepath.Base(s.file.Name()), int64(len(header))
			at.Tensors, at.Size = digestOf(tensors)
			at.Size += at.Header
			said, err = json.Marshal(at)
		}
	}
	all, err := ranks.Agree(s.comm, said, err)
	if err != nil {
		return at, err
	}
	return at, json.Unmarshal(all[0], &at)
}

// digestOf returns a digest of the tensors' entries in a header, and the total size of the tensors in bytes.
func digestOf(tensors []Tensor) (string, int64) {
	h := sha256.New()
	size := describe(h, tensors)
	return hex.EncodeToString(h.Sum(nil)), size
}

// writeRuns writes the rank's runs of all tensors.
func (s *Staged) writeRuns(path string, at beginning, tensors []Tensor) (t tally, err error) {
	if digest, _ := digestOf(tensors); digest != at.Tensors {
		return t, errors.New("has other tensors than rank 0: the ranks do not train the same network")
	}
	if s.comm.Rank() != 0 {
		if s.file, err = outfile.Join(path, at.Temporary); err != nil {
			return t, err
		}
	}
	buf, begin := make([]byte, codecBytes), at.Header
	for i := range tensors {
		x := &tensors[i]
		if x.Runs == nil && s.comm.Rank() != 0 {
			begin += x.bytes()
			continue
		}
		err := x.runs(func(element int, data any) error {
			w := runWriter{file: s.file, at: begin + int64(element)*elementSizes[dtype(data)]}
			from := w.at
			if err := writeElements(&w, data, buf); err != nil {
				return err
			}
			t.add(from, w.at, w.remainder, at.Size)
			return nil
		})
		if err != nil {
			return t, err
		}
		begin += x.bytes()
	}
	return t, nil
}

// runWriter writes one run of a file.
type runWriter struct {
	file      io.WriterAt
	at        int64  // position of the next byte
	remainder uint32 // CRC remainder of the bytes that were written
}

// Write implements [io.Writer].
func (w *runWriter) Write(p []byte) (int, error) {
	n, err := w.file.WriteAt(p, w.at)
	w.at += int64(n)
	w.remainder = remainder(w.remainder, p[:n])
	return n, err
}

// tally summarises some runs of a file. The tallies of several ranks can be added up.
type tally struct {
	sum uint32 // contribution of the runs to the checksum

	// ends is a sum over the runs. Each term is the hash of the offset at which the run ends, minus the hash of the
	// offset at which it begins. If the runs follow one another without gaps, all hashes except the first and the last
	// cancel. After a gap or an overlap, more hashes remain.
	ends uint64
}

// add adds a run to the tally. The run has the bytes from .. to-1 of a file. The parameter size is the file's size in
// bytes.
func (t *tally) add(from, to int64, remainder uint32, size int64) {
	t.sum ^= contribution(remainder, size-to)
	t.ends += hashOf(to) - hashOf(from)
}

// hashOf returns a hash of an offset. It is the finaliser of splitmix64.
func hashOf(offset int64) uint64 {
	x := uint64(offset) + 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func (t *tally) encode() []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint32(nil, t.sum), t.ends)
}

// sign writes the header with the checksum. size is the file's size, and written holds the tallies of all ranks.
func (s *Staged) sign(header []byte, size int64, written [][]byte) error {
	var t tally
	t.add(0, int64(len(header)), remainder(0, header), size)
	for rank, b := range written {
		if len(b) != len(t.encode()) {
			return fmt.Errorf("rank %d passed %d bytes for the checksum", rank, len(b))
		}
		t.sum ^= binary.LittleEndian.Uint32(b)
		t.ends += binary.LittleEndian.Uint64(b[4:])
	}
	if t.ends != hashOf(size)-hashOf(0) {
		return errors.New("what the ranks have written does not fill the file, or overlaps")
	}
	s.unsigned = bytes.Clone(header)
	s.sum = finish(t.sum, size)
	putChecksum(header, s.sum)
	s.header = header
	_, err := s.file.WriteAt(header, 0)
	return err
}

// Commit forces the file to the disk and renames it to its final path in one step. If one rank fails, all ranks get
// an error and the temporary file is removed. An older file at the path is then unchanged. The error does not name
// the path.
func (s *Staged) Commit() error {
	_, err := s.commit(false)
	return err
}

// commit is Commit. If digest is true, it also returns the SHA-256 of the file.
func (s *Staged) commit(digest bool) (string, error) {
	defer s.Abort()
	var err error
	if s.comm.Rank() == 0 {
		err = s.file.Sync()
	} else {
		err = s.file.Leave()
	}
	if _, err := ranks.Agree(s.comm, nil, err); err != nil {
		return "", err
	}
	var sum string
	if s.comm.Rank() == 0 {
		if digest {
			sum, err = s.digest()
		}
		if err == nil {
			err = s.file.Commit()
		}
	}
	all, err := ranks.Agree(s.comm, []byte(sum), err)
	if err != nil {
		return "", err
	}
	return string(all[0]), nil
}

// Abort removes the temporary file and leaves an older file at the path unchanged. After [Staged.Commit], it does
// nothing. It does not wait for the other ranks.
func (s *Staged) Abort() {
	if s.file != nil {
		s.file.Abort()
	}
}

// digest returns the SHA-256 of the file as any other program would read it. It returns an error if the file differs
// from the bytes that the ranks have written. This can happen in a shared folder, because one machine's writes may
// become visible to another machine with a delay.
func (s *Staged) digest() (string, error) {
	f, err := os.Open(s.file.Name())
	if err != nil {
		return "", err
	}
	defer f.Close()
	sha, crc := sha256.New(), crc32.New(castagnoli)
	crc.Write(s.unsigned)
	header := make([]byte, len(s.header))
	if _, err := io.ReadFull(f, header); err != nil || !bytes.Equal(header, s.header) {
		return "", errStale
	}
	sha.Write(header)
	if _, err := io.CopyBuffer(io.MultiWriter(sha, crc), f, make([]byte, codecBytes)); err != nil {
		return "", err
	}
	if crc.Sum32() != s.sum {
		return "", errStale
	}
	return hex.EncodeToString(sha.Sum(nil)), nil
}

var errStale = errors.New("the file does not read as the ranks have written it: their folder is not the same one, or " +
	"does not show what other machines write")
