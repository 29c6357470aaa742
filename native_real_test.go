package ialgn_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn"
	"ialgn/internal/tooltest"
)

// callNative is a program around the package that compile writes: it classifies the numbers of a file.
const callNative = `package main

import (
	"encoding/binary"
	"fmt"
	"log"
	"math"
	"os"

	"user/circle"
)

func main() {
	data, err := os.ReadFile("values")
	if err != nil {
		log.Fatal(err)
	}
	x := make([]float64, len(data)/8)
	for i := range x {
		x[i] = math.Float64frombits(binary.LittleEndian.Uint64(data[8*i:]))
	}
	n, samples := circle.NewNative(), len(x)/circle.Features
	class, counts := make([]uint16, samples), make([]uint32, samples*circle.Classes)
	if err := n.ClassifyReal(x, class, counts); err != nil {
		log.Fatal(err)
	}
	x[1] = math.NaN()
	fmt.Println(class, counts, n.ClassifyReal(x, class, counts) != nil, n.ClassifyReal(x[1:], class, nil) != nil)
}
`

// TestNativeClassifiesRealValues has the machine code of a Go package classify real values as the model's Classifier
// does, those far out of the range of training as well. NaN is an error, as are slices of the wrong length.
func TestNativeClassifiesRealValues(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skip("machine code is for Linux on x86-64")
	}
	m := trained(t)
	c, err := m.Classifier()
	if err != nil {
		t.Fatal(err)
	}
	d, err := ialgn.Compile(t.Context(), m, ialgn.CompileOptions{Emit: []string{"go-object"}})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := d.Write(filepath.Join(dir, "circle")); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	values := []float64{-math.MaxFloat64, math.MaxFloat64, 5e-324, -1, 1, 14.0 / 15, -1.0001, math.Copysign(0, -1)}
	for range 1000 {
		values = append(values, r.Float64()*2-1, r.NormFloat64()*math.Pow(10, float64(r.IntN(9)-4)))
	}
	var wantClasses []int
	var wantCounts []int
	for i := 0; i < len(values); i += 2 {
		class, counts := c.Classify(values[i:][:2])
		wantClasses, wantCounts = append(wantClasses, class), append(wantCounts, counts...)
	}
	var in bytes.Buffer
	if err := binary.Write(&in, binary.LittleEndian, values); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"go.mod": "module user\n\ngo 1.21\n", "main.go": callNative, "values": in.String(),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out, err := tooltest.TryOther(t, dir, "env", "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=-mod=mod", "go", "run", ".")
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if diff := cmp.Diff(fmt.Sprintln(wantClasses, wantCounts, true, true), out); diff != "" {
		t.Errorf("classes, counts and errors (-want +got):\n%s", diff)
	}
}
