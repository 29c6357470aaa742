package aiger

import (
	"bytes"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// and2 is a file whose graph is a single AND gate.
const and2 = "aig 3 2 0 1 1\n6\n\x02\x02i0 a\ni1 b\no0 y\n"

func TestRead(t *testing.T) {
	want := &File{Inputs: []string{"a", "b"}, Outputs: []Output{{"y", 6}}, Gates: [][2]uint32{{4, 2}}}
	for _, comment := range []string{"", "c\nwhat\never\xff"} {
		got, err := Read(strings.NewReader(and2 + comment))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("file (-want +got):\n%s", diff)
		}
	}
}

func TestReadErrors(t *testing.T) {
	tests := []struct{ name, file, want string }{
		{"empty", "", "header: the file ends here"},
		{"ascii", "aag 3 2 0 1 1\n", "the ASCII form"},
		{"other file", "module net (\n", "not an AIGER file"},
		{"long line", "aig " + strings.Repeat("1", 5000), "longer than 4096"},
		{"later version", "aig 3 2 0 1 1 1\n6\n", "of a later version"},
		{"negative", "aig 3 -2 0 1 1\n", "\"-2\" is no number"},
		{"too large", "aig 3 99999999999 0 1 1\n", "above the largest"},
		{"latches", "aig 3 2 1 1 0\n", "1 latches"},
		{"sum", "aig 4 2 0 1 1\n", "must add up"},
		{"huge claim, inputs", "aig 1000000000 1000000000 0 0 0\n", "input 0 has no name"},
		{"huge claim, outputs", "aig 2 2 0 1000000000 0\n", "output 0 of 1000000000: the file ends here"},
		{"huge claim, gates", "aig 1000000000 2 0 0 999999998\n", "gate 0 of 999999998: the file ends here"},
		{"output out of range", "aig 3 2 0 1 1\n8\n\x02\x02", "line 2: output 0 of 1: 8 is above the largest possible, 7"},
		{"cut gate", "aig 3 2 0 1 1\n6\n\x02", "gate 0 of 1: the file ends here"},
		{"gate on itself", "aig 3 2 0 1 1\n6\n\x00\x02", "input 0 is not below the gate"},
		{"gate below zero", "aig 3 2 0 1 1\n6\n\x07\x02", "input 0 is not below the gate"},
		{"second input below zero", "aig 3 2 0 1 1\n6\n\x02\x05", "input 1 is not below the gate"},
		{"endless number", "aig 3 2 0 1 1\n6\n\xff\xff\xff\xff\xff\xff", "more than 31 bits"},
		{"missing name", strings.Replace(and2, "i1 b\n", "", 1), "input 1 has no name"},
		{"doubled name", strings.Replace(and2, "i1 b\n", "i1 a\n", 1), "inputs 0 and 1 are both called \"a\""},
		{"two names", strings.Replace(and2, "i1 b\n", "i0 b\n", 1), "i0 has two names"},
		{"extra name", and2 + "o1 z\n", "1 is above the largest possible, 0"},
		{"latch name", and2 + "l0 z\n", "names neither an input nor an output"},
		{"cut name", strings.TrimSuffix(and2, "\n"), "symbol table, line 3: the line has no end"},
		{"name of nothing", and2 + "\n", "want i or o with a number"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Read(strings.NewReader(tt.file))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got error %v, want one with %q", err, tt.want)
			}
		})
	}
}

// TestMatch shuffles the inputs and outputs of a graph and restores their order.
func TestMatch(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 3))
		ref, err := Read(bytes.NewReader(encode(t, randomNetlist(r, 20))))
		if err != nil {
			t.Fatal(err)
		}
		names := &File{Inputs: make([]string, len(ref.Inputs)), Outputs: make([]Output, len(ref.Outputs))}
		for i, j := range r.Perm(len(ref.Inputs)) {
			names.Inputs[i] = ref.Inputs[j]
		}
		for i, j := range r.Perm(len(ref.Outputs)) {
			names.Outputs[i] = ref.Outputs[j]
		}
		shuffled, err := Match(names, ref)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(names.Inputs, shuffled.Inputs); diff != "" {
			t.Fatalf("seed %d: inputs (-want +got):\n%s", seed, diff)
		}
		checkShuffled(t, r, ref, shuffled)
		back, err := Match(ref, shuffled)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(ref, back); diff != "" {
			t.Fatalf("seed %d: there and back (-want +got):\n%s", seed, diff)
		}
	}
}

// checkShuffled checks that two files with the same names in different order have the same function.
func checkShuffled(t *testing.T, r *rand.Rand, a, b *File) {
	t.Helper()
	value := map[string]uint64{}
	for _, s := range a.Inputs {
		value[s] = r.Uint64()
	}
	outputs := func(f *File) map[string]uint64 {
		var in []uint64
		for _, s := range f.Inputs {
			in = append(in, value[s])
		}
		named := map[string]uint64{}
		for i, v := range Eval(f, in) {
			named[f.Outputs[i].Name] = v
		}
		return named
	}
	if diff := cmp.Diff(outputs(a), outputs(b)); diff != "" {
		t.Fatalf("outputs by name (-want +got):\n%s", diff)
	}
}

func TestMatchErrors(t *testing.T) {
	file := func(inputs, outputs string) *File {
		f := &File{Inputs: strings.Fields(inputs)}
		for _, s := range strings.Fields(outputs) {
			f.Outputs = append(f.Outputs, Output{Name: s})
		}
		return f
	}
	ref := file("a b c d e", "y z")
	tests := []struct {
		name string
		file *File
		want string
	}{
		{"missing", file("a b c d", "y z"), "aiger: inputs of the two files do not match: 1 missing (e)"},
		{"extra", file("a b c d e f", "y z"), "inputs of the two files do not match: 1 extra (f)"},
		{"doubled", file("a b c d e e", "y z"), "inputs of the two files do not match: 1 doubled (e)"},
		{"many", file("f", "y z"), "5 missing (a, b, c), 1 extra (f)"},
		{"output", file("a b c d e", "z"), "aiger: outputs of the two files do not match: 1 missing (y)"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := Match(ref, tt.file); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got error %v, want one with %q", err, tt.want)
			}
		})
	}
	if _, err := Match(file("a a", "y"), file("a", "y")); err == nil {
		t.Error("a name twice in the reference: got no error")
	}
}

// FuzzRead checks that the reader returns errors and does not panic, and that an accepted file is written back as
// the same file.
func FuzzRead(f *testing.F) {
	f.Add([]byte(and2))
	f.Add([]byte("aig 0 0 0 1 0\n1\no0 one\nc\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		var b bytes.Buffer
		if err := file.Write(&b); err != nil {
			t.Fatal(err)
		}
		again, err := Read(&b)
		if err != nil {
			t.Fatalf("what was written is not read: %v", err)
		}
		if diff := cmp.Diff(file, again); diff != "" {
			t.Errorf("read, written and read (-want +got):\n%s", diff)
		}
	})
}

// TestReadAllocates reads headers that claim far more contents than follow.
func TestReadAllocates(t *testing.T) {
	for _, text := range []string{
		"aig 2147483647 2147483647 0 0 0\n", "aig 2147483647 0 0 0 2147483647\n\x02\x02", "aig 0 0 0 2147483647 0\n0\n",
		"aig 1000000 0 0 1000000 1000000\n" + strings.Repeat("0\n", 1000),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Read(strings.NewReader(text))
		runtime.ReadMemStats(&after)
		if grown := after.TotalAlloc - before.TotalAlloc; err == nil || grown > 1<<20+100*uint64(len(text)) {
			t.Errorf("%.40q: %d bytes allocated, error %v", text, grown, err)
		}
	}
}
