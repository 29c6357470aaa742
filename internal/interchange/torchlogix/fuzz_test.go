package torchlogix_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"ialgn/internal/interchange/given"
	"ialgn/internal/interchange/graph"
	"ialgn/internal/interchange/torchlogix"
)

func FuzzReadCircuit(f *testing.F) {
	f.Add([]byte(circuitOfParts(twoGates, twoSums, `"outputs": [9, 8], "output_shape": [2], "input_shape": [2, 2]`)))
	f.Add([]byte(circuitOfParts(twoGates, "", `"outputs": [7, 4, 0, 3]`)))
	f.Fuzz(func(t *testing.T, data []byte) {
		n, err := torchlogix.ReadCircuit(circuitText(string(data)))
		if err != nil {
			return
		}
		sample := make([]float32, n.Input.Features())
		want := scoresOf(n, sample)
		again, err := torchlogix.ReadCircuit(circuitText(written(t, n)))
		if err != nil {
			t.Fatal(err)
		}
		if got := scoresOf(again, sample); !slices.EqualFunc(got, want, func(a, b float32) bool { return a == b || a != a && b != b }) {
			t.Errorf("scores %v, want %v", got, want)
		}
	})
}

// FuzzRead changes state dicts, modules and facts at random. Read must return an error or a network that can be
// evaluated and written.
func FuzzRead(f *testing.F) {
	for seed := range uint64(300) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var value any
		d, said := denseNet()
		switch rng.IntN(3) {
		case 0:
			value = changed(rng, d)
		case 1:
			d, said = convNet()
			value = changed(rng, d)
		default:
			value = sequential(changed(rng, denseModule()))
		}
		for range rng.IntN(3) {
			changeFacts(rng, said)
		}
		v, src := loaded(t, value, said)
		torchlogix.Recognise(v)
		n, err := torchlogix.Read(src, v)
		if err != nil {
			return
		}
		if n.Input.Features() < 1<<16 {
			whole(t, n)
		}
	})
}

// whole evaluates a network and then writes it.
func whole(t *testing.T, n *graph.Network) {
	sample := make([]float32, n.Input.Features())
	for i := range sample {
		sample[i] = float32(i%3) / 4
	}
	if got := scoresOf(n, sample); len(got) != len(n.Sum.Groups) {
		t.Errorf("%d scores", len(got))
	}
	if err := torchlogix.WriteCircuit(&bytes.Buffer{}, n); err != nil {
		t.Error(err)
	}
}

// changed returns a copy of a tree of values with some values changed.
func changed(rng *rand.Rand, d dict) dict {
	out := slices.Clone(d)
	for range rng.IntN(3) {
		if len(out) == 0 {
			break
		}
		i := rng.IntN(len(out))
		switch rng.IntN(8) {
		case 0:
			out = slices.Delete(out, i, i+1)
		case 1:
			out[i].key = out[rng.IntN(len(out))].key + "1"
		case 2:
			out[i].value = []any{nil, true, 7, -1, 0.5, "x", tuple{1, 2}, dict{}}[rng.IntN(8)]
		default:
			out[i].value = changedValue(rng, out[i].value)
		}
	}
	return out
}

func changedValue(rng *rand.Rand, v any) any {
	switch v := v.(type) {
	case int:
		return v + rng.IntN(5) - 2
	case object:
		return object{v.class, changed(rng, v.state)}
	case dict:
		return changed(rng, v)
	case tensor:
		return changedTensor(rng, v)
	}
	return v
}

// changedTensor changes one dimension or one element of a tensor. A changed shape fits into the storage if the
// strides are 0.
func changedTensor(rng *rand.Rand, v tensor) tensor {
	v.shape = slices.Clone(v.shape)
	if rng.IntN(2) == 0 && len(v.shape) > 0 {
		v.shape[rng.IntN(len(v.shape))] = []int{0, 1, 2, 3, 1 << 20, 1 << 28}[rng.IntN(6)]
		v.stride = make([]int, len(v.shape))
		if size := reflect.ValueOf(v.data).Len(); size == 0 {
			v.data = []float32{0}
		}
		return v
	}
	switch d := v.data.(type) {
	case []float32:
		d = slices.Clone(d)
		if len(d) > 0 {
			d[rng.IntN(len(d))] = []float32{0, -1, float32(math.NaN()), math.MaxFloat32, 1e-45}[rng.IntN(5)]
		}
		v.data = d
	case []int64:
		d = slices.Clone(d)
		if len(d) > 0 {
			d[rng.IntN(len(d))] = []int64{0, 1, -1, math.MaxInt64, 5}[rng.IntN(5)]
		}
		v.data = d
	}
	return v
}

// changeFacts changes one field of the facts. It is a field of a layer or of the other facts.
func changeFacts(rng *rand.Rand, f *given.Facts) {
	numbers := []int{0, 1, 2, 3, -1, -2, -5, 1 << 20, 1 << 30, math.MaxInt, math.MinInt}
	number := numbers[rng.IntN(len(numbers))]
	fields := reflect.ValueOf(&f.LayersInOrder[rng.IntN(len(f.LayersInOrder))]).Elem()
	if rng.IntN(5) == 0 {
		fields = reflect.ValueOf(&f.Sum).Elem()
	}
	switch field := fields.Field(rng.IntN(fields.NumField())); field.Interface().(type) {
	case int:
		field.SetInt(int64(number))
	case *int:
		field.Set(reflect.ValueOf(&number))
	case *float64:
		field.Set(reflect.ValueOf(ptr(float64(number) / 2)))
	case []int:
		field.Set(reflect.ValueOf([]int{number, 2, 3}[:rng.IntN(4)]))
	case string:
		field.SetString([]string{"", "0", "3", "LogicDense", "OrPooling2d", "Flatten", "DummyBinarization", "raw", "warp"}[rng.IntN(9)])
	}
	switch rng.IntN(6) {
	case 0:
		f.Input.Shape = []int{number, numbers[rng.IntN(4)], 4}[rng.IntN(3):]
	case 1:
		f.LayersInOrder = slices.Delete(f.LayersInOrder, 0, 1)
	}
	if len(f.LayersInOrder) == 0 {
		f.LayersInOrder = []given.TorchLayer{{}}
	}
}
