// Package torchfile reads files that PyTorch's torch.save wrote, without running any code.
//
// Such a file is a pickle, which is a program for a small stack machine. The program may name any Python function to
// be called with any arguments. [Read] runs the program on its own machine, which calls nothing. The machine knows
// the names that occur in a checkpoint. These are the names of tensors, storages, dictionaries, sizes, devices,
// element types, and arrays and scalars of numpy.
//
// Instances of classes of torch.nn, difflogic, torchlogix and torch_dwn occur in a file of a whole model. They become
// an inert [Object], which has the class's name, the arguments and the state. An instance of any other class becomes
// an [Object] that has only its class name. Every value that is made by or from such an instance also becomes an
// Object with only a class name ([Object.Unread]). If the value of the whole file becomes such an Object, Read
// returns an error with the class name.
//
// Two formats are read. One is the archive that PyTorch writes since version 1.6. It is not compressed, and its
// checksums are verified. The other is the format before the archive. Read returns an error for the still older
// format in a tar file, and for files of big-endian machines.
//
// # Memory
//
// The memory is limited by the size of the file. A number in the file cannot raise this limit. [Read] allocates at
// most three times the file's size plus 48 MiB. A tensor with strides of 0 can have more elements than the file has
// bytes, and a tensor can occur several times in the result. The elements of all tensors, counted each time that they
// occur, are at most the file's size in bytes plus 8 Mi. Converting all of them to float32 takes four bytes for each
// element. A storage is read once, when one of its tensors is first converted, and is then kept. All storages
// together are at most as large as the file.
//
// Code that walks the result needs no precautions. The result has no cycles and is nested at most 1000 deep. The
// number of values is limited even if shared values count each time that they occur.
//
// The module gopickle reads such files too, and can restrict the names that a file may use. It is not used here, for
// three reasons. It allocates memory for the length that the file claims before it has read the bytes. Nothing limits
// its stack and memo. It reads all storages from a named file before anything needs them.
package torchfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"ialgn/internal/message"
)

// file holds the state of reading a file.
type file struct {
	r      io.ReaderAt
	size   int64
	budget budget
	stored map[string]*storage // by key
	bytes  int64               // total bytes of all storages
}

// Read returns the value in a file of torch.save. The value, and everything in it, has one of the types nil, bool,
// int64, *[big.Int] (only if int64 does not hold the number), float64, string, []byte, *[List], [Tuple], *[Dict],
// *[Tensor], *[Object], [DType] or [Device]. size is the file's size in bytes. r must stay readable as long as
// tensors are converted.
//
// An error gives the part of the file, the position, and a hint how to fix the file.
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

// read reads the file in the format that its first bytes show.
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

// ErrOther is wrapped by the error for a file that torch.save did not write.
var ErrOther = errors.New("not a file of torch.save")

// notTorch returns the error for a file that torch.save did not write.
func notTorch(why string) error {
	return message.WithHint(fmt.Errorf("%w: %s", ErrOther, why),
		"give the file that torch.save(model.state_dict(), path) wrote")
}

// budget is the number of bytes that may still be allocated.
type budget struct{ left int64 }

// take counts n bytes as allocated. It returns an error if fewer bytes are left.
func (b *budget) take(n int64) error {
	if b.left -= n; b.left < 0 {
		return message.WithHint(fmt.Errorf("its values take more memory than three times the file and 48 MiB"),
			"save the tensors in a state_dict(), not as lists of numbers")
	}
	return nil
}

// readAt fills b with the bytes at an offset.
func readAt(r io.ReaderAt, b []byte, at int64) error {
	if n, err := r.ReadAt(b, at); n < len(b) {
		if err == io.EOF || err == nil {
			return fmt.Errorf("byte %d: the file ends here, before what it should hold", at+int64(n))
		}
		return fmt.Errorf("byte %d: %w", at+int64(n), err)
	}
	return nil
}
