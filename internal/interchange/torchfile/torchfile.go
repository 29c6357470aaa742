// Package torchfile reads files that PyTorch's torch.save wrote, without running any code.
//
// Such a file is a pickle: a program for a small stack machine, which may name any function of Python to be called
// with any arguments. [Read] runs that program on a machine of its own that calls nothing. It knows by name what the
// values of a checkpoint are made of: tensors with their storages, dictionaries, sizes, devices, element types, arrays
// and scalars of numpy. Instances of the classes of torch.nn, difflogic, torchlogix and torch_dwn, which a file of a
// whole model holds, become an inert [Object]: the name of the class, the arguments and the state. An [Object] of any
// other class holds its name alone, and so does what is made by it or of it ([Object.Unread]); a file that is nothing
// else is refused with an error that says the name.
//
// Two forms are read: the archive that PyTorch writes since 1.6 (stored, with checksums, which are verified), and the
// form before it. The older form in a tar file and files of big-endian machines are refused.
//
// The file alone decides how much memory reading takes, and no number in it does: [Read] allocates at most three times
// the file's size and 48 MiB. The elements of all tensors together, each counted as often as it is met in the result,
// are at most the file's size in bytes and 8 Mi (a tensor whose strides are 0 can have more elements than the file has
// bytes); to convert them all to float32 takes four times that. Storages are read when a tensor of them is first
// converted, each once, and kept; together they are at most as large as the file. The result has no cycles, is nested
// at most 1000 deep, and does not unfold from few shared values into very many: whoever walks it needs no precautions.
//
// The module gopickle reads such files too, and its names can be restricted. It is not used here, since its machine
// allocates what a length in the file says before it looks for the bytes, nothing bounds its stack and memo, and it
// reads all storages from a named file before anyone asks for them.
package torchfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"ialgn/internal/message"
)

// file is a file while it is read.
type file struct {
	r      io.ReaderAt
	size   int64
	budget budget
	stored map[string]*storage // by key
	bytes  int64               // of all storages
}

// Read returns the value that torch.save wrote into the file. It is one of nil, bool, int64, *[big.Int] (only if int64
// does not hold it), float64, string, []byte, *[List], [Tuple], *[Dict], *[Tensor], *[Object], [DType] and [Device],
// and is made of nothing else. size is the file's size in bytes; r must stay readable as long as tensors are converted.
//
// An error says where in which part of the file, and, as a hint, how to mend it.
func Read(r io.ReaderAt, size int64) (any, error) {
	f := &file{r: r, size: size, budget: budget{left: 3*min(size, 1<<60) + 48<<20}, stored: map[string]*storage{}}
	head := make([]byte, min(max(size, 0), 512))
	if err := readAt(r, head, 0); err != nil {
		return nil, err
	}
	value, err := f.read(head)
	if err != nil {
		return nil, err
	}
	if why := unreadOf(value); why != nil {
		return nil, why.err()
	}
	if err := f.measure(value); err != nil {
		return nil, err
	}
	return value, nil
}

// read reads the form that the file's first bytes tell.
func (f *file) read(head []byte) (any, error) {
	switch {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		return f.readArchive()
	case len(head) >= 262 && string(head[257:262]) == "ustar":
		return nil, message.WithHint(fmt.Errorf("the form in a tar file of PyTorch before 0.1.10 is not read"),
			"load it with PyTorch and save it again with torch.save")
	case bytes.HasPrefix(head, []byte{opProto}):
		return f.readLegacy()
	}
	return nil, notTorch("it begins neither like an archive nor like a pickle")
}

// ErrOther is in the tree of the error of a file that torch.save did not write.
var ErrOther = errors.New("not a file of torch.save")

// notTorch is the error of a file that torch.save did not write.
func notTorch(why string) error {
	return message.WithHint(fmt.Errorf("%w: %s", ErrOther, why),
		"give the file that torch.save(model.state_dict(), path) wrote")
}

// budget is what may still be allocated, in bytes.
type budget struct{ left int64 }

// take counts n bytes as allocated, or is the error that there are not as many left.
func (b *budget) take(n int64) error {
	if b.left -= n; b.left < 0 {
		return message.WithHint(fmt.Errorf("its values take more memory than three times the file and 48 MiB"),
			"save the tensors in a state_dict(), not as lists of numbers")
	}
	return nil
}

// readAt fills b with what stands at an offset.
func readAt(r io.ReaderAt, b []byte, at int64) error {
	if n, err := r.ReadAt(b, at); n < len(b) {
		if err == io.EOF || err == nil {
			return fmt.Errorf("byte %d: the file ends here, before what it should hold", at+int64(n))
		}
		return fmt.Errorf("byte %d: %w", at+int64(n), err)
	}
	return nil
}
