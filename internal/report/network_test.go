package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ialgn/internal/dataset"
	"ialgn/internal/explain"
	"ialgn/internal/model"
	"ialgn/internal/netgen"
)

// written returns the bytes of a page.
func written(t *testing.T, p *NetworkPage) []byte {
	t.Helper()
	var out bytes.Buffer
	n, err := p.WriteTo(&out)
	if err != nil {
		t.Fatal(err)
	}
	if int(n) != out.Len() {
		t.Errorf("WriteTo returned %d bytes, but wrote %d", n, out.Len())
	}
	return out.Bytes()
}

// element returns the text of the script element with the given identifier.
func element(t *testing.T, page []byte, id string) string {
	t.Helper()
	m := regexp.MustCompile(`<script type="[a-z/]+" id="` + id + `">([^<]*)</script>`).FindSubmatch(page)
	if m == nil {
		t.Fatalf("the page has no element %s", id)
	}
	return string(m[1])
}

// number returns element i of a packed array of a page.
func number(data []byte, a packed, i int) uint64 {
	part := data[a.At+i*a.Bytes:]
	switch a.Bytes {
	case 1:
		return uint64(part[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(part))
	case 4:
		return uint64(binary.LittleEndian.Uint32(part))
	}
	return binary.LittleEndian.Uint64(part)
}

// TestNetworkPage writes pages of networks of every form and reads the networks back, including the values of a
// sample.
func TestNetworkPage(t *testing.T) {
	for _, form := range netgen.Forms() {
		f := form.Model().Freeze()
		n, err := explain.New(f, explain.Options{})
		if err != nil {
			t.Fatal(err)
		}
		words, r := make([]uint16, f.Encoder.Features()), rand.New(rand.NewPCG(form.Options.Seed, 3))
		for i := range words {
			words[i] = uint16(r.IntN(int(f.Encoder.Max) + 1))
		}
		x, err := n.Explain(t.Context(), words, 20)
		if err != nil {
			t.Fatal(err)
		}
		page := written(t, &NetworkPage{Version: "0.1.0", File: "f", Title: form.Name, Frozen: f, Explanation: x})
		var head packedHead
		if err := json.Unmarshal([]byte(element(t, page, "head")), &head); err != nil {
			t.Fatal(err)
		}
		data, err := base64.StdEncoding.DecodeString(element(t, page, "data"))
		if err != nil {
			t.Fatal(err)
		}
		if head.Width != f.Width || !slices.Equal(head.Classes, f.Classes) || len(head.Layers) != f.Depth() ||
			!slices.Equal(head.Sample, words) || len(x.Votes) > 0 && head.Chosen != x.Votes[0].Chain {
			t.Errorf("%s: head %+v", form.Name, head)
		}
		live := explain.LiveOf(f)
		for l := range f.Layers {
			checkLayer(t, fmt.Sprintf("%s, layer %d", form.Name, l+1), data, &head.Layers[l], &f.Layers[l], live.Nodes[l],
				x.Values[l])
		}
	}
}

// checkLayer compares a layer with its data in the page.
func checkLayer(t *testing.T, where string, data []byte, got *packedLayer, want *model.FrozenLayer, live, values []uint64) {
	t.Helper()
	if got.Width != want.Width() || len(got.Pins) != len(want.Pins) {
		t.Fatalf("%s: %+v", where, got)
	}
	for i := range got.Width {
		if table := number(data, got.Table, i); table != want.Op.At(i) {
			t.Fatalf("%s: table %#x, want %#x", where, table, want.Op.At(i))
		}
		byte := number(data, packed{got.Kind, 1}, i)
		if byte>>3&1 != live[i/64]>>(i%64)&1 || byte>>4 != values[i/64]>>(i%64)&1 {
			t.Fatalf("%s: node %d has the byte %#x", where, i, byte)
		}
		for k, pin := range got.Pins {
			index := uint64(i)
			if !pin.Own {
				index = number(data, pin.packed, i)
			}
			if index != uint64(want.Pins[k].Index[i]) || (pin.From == 1) != (want.Pins[k].Source == model.Previous) {
				t.Fatalf("%s: node %d reads %d by pin %d", where, i, index, k)
			}
		}
	}
}

// TestKinds checks that the kind of a table fits the number of pins on which the table depends. It also checks the
// kinds that have names.
func TestKinds(t *testing.T) {
	for op, want := range []uint64{
		kindConstant, kindTwo, kindTwo, kindPass, kindTwo, kindPass, kindXOR, kindTwo, kindTwo, kindXOR, kindNegation, kindTwo,
		kindNegation, kindTwo, kindTwo, kindConstant,
	} {
		if got := kindOf(uint64(op), 2); got != want {
			t.Errorf("operation %d is of kind %d, want %d", op, got, want)
		}
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 1000 {
		pins := 1 + r.IntN(6)
		table, on := r.Uint64()&model.LastTable(pins), 0
		for i := range pins { // make the table independent of some pins
			if r.IntN(2) == 0 {
				table = model.Restrict(table, pins, i, true)
			}
		}
		for i := range pins {
			if model.DependsOn(table, pins, i) {
				on++
			}
		}
		want := []uint64{
			1 << kindConstant, 1<<kindPass | 1<<kindNegation, 1<<kindTwo | 1<<kindXOR, 1 << kindThree, 1 << kindFour,
			1 << kindMore, 1 << kindMore,
		}[on]
		if got := kindOf(table, pins); want>>got&1 == 0 {
			t.Errorf("table %#x of %d pins depends on %d and is of kind %d", table, pins, on, got)
		}
	}
	if bits.Len(kindMore) > 3 {
		t.Error("a kind does not fit its three bits")
	}
}

// TestNetworkPageIsSafe checks that names cannot break out of the page, that only the script whose hash the page names
// may run, and that nothing is fetched.
func TestNetworkPageIsSafe(t *testing.T) {
	f := netgen.Forms()[0].Model().Freeze()
	f.Classes = []string{evil + "0", evil + "1", evil + "2"}[:len(f.Classes)]
	for i := range f.Encoder.Features() {
		f.Encoder.Names = append(f.Encoder.Names, fmt.Sprint(evil, i))
	}
	n, err := explain.New(f, explain.Options{})
	if err != nil {
		t.Fatal(err)
	}
	x, err := n.Explain(t.Context(), make([]uint16, f.Encoder.Features()), 20)
	if err != nil {
		t.Fatal(err)
	}
	x.Source, x.Label = evil, evil
	p := &NetworkPage{Version: "0.1.0", File: evil, Title: evil, Frozen: f, Explanation: x}
	page := written(t, p)
	if again := written(t, p); !bytes.Equal(page, again) {
		t.Error("writing the page twice gives different bytes")
	}
	text := string(page)
	if bad := regexp.MustCompile(`(?i)<script>alert|<img|<iframe|https?://|@import|url\(`).FindString(text); bad != "" {
		t.Errorf("the page contains %q", bad)
	}
	if n := strings.Count(text, "</script>"); n != 3 {
		t.Errorf("%d script end tags, want 3", n)
	}
	scripts := strings.SplitAfterN(text, "\n<script>", 2)
	if len(scripts) != 2 {
		t.Fatal("the page has no script")
	}
	script, _, _ := strings.Cut(scripts[1], "</script>")
	sum := sha256.Sum256([]byte(script))
	policy := fmt.Sprintf("default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-%s'",
		base64.StdEncoding.EncodeToString(sum[:]))
	m := regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(text)
	if m == nil || strings.NewReplacer("&#39;", "'", "&#43;", "+").Replace(m[1]) != policy {
		t.Errorf("the policy is %q, want %q", m, policy)
	}
}

// TestPictures checks that a page about an image has a picture of the image, and a second picture in which each
// change has a frame.
func TestPictures(t *testing.T) {
	for _, planes := range []int{1, 3} {
		f := netgen.Model(netgen.ModelOptions{Features: 6 * planes, Seed: 5}).Freeze()
		shape := dataset.Shape{Planes: planes, Height: 2, Width: 3}
		n, err := explain.New(f, explain.Options{Shape: shape})
		if err != nil {
			t.Fatal(err)
		}
		words := make([]uint16, 6*planes)
		words[0] = uint16(f.Encoder.Max)
		x, err := n.Explain(t.Context(), words, 20)
		if err != nil || x.Flipped == nil {
			t.Fatalf("%+v, %v", x, err)
		}
		page := string(written(t, &NetworkPage{Version: "0.1.0", Title: "t", Frozen: f, Shape: shape, Explanation: x}))
		pictures := regexp.MustCompile(`href="(data:image/png;base64,[^"]*)"`).FindAllStringSubmatch(page, -1)
		if frames := strings.Count(page, `class="changed"`); len(pictures) != 2 || frames != len(x.Flips) {
			t.Errorf("%d planes: %d pictures, %d frames, want 2 pictures, %d frames", planes, len(pictures), frames,
				len(x.Flips))
		}
		got := shades(t, pictures[0][1])
		if want := [][]uint8{{255, 0, 0}, {0, 0, 0}}; planes == 1 && !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("the sample is drawn as %v", got)
		}
	}
}

// failing is a writer that fails after the given number of bytes.
type failing struct{ left int }

func (f *failing) Write(b []byte) (int, error) {
	if f.left -= len(b); f.left < 0 {
		return 0, errors.New("full")
	}
	return len(b), nil
}

// TestNetworkPageOfFullDisk checks that an error of the writer is returned, however many bytes were written before
// the error.
func TestNetworkPageOfFullDisk(t *testing.T) {
	p := &NetworkPage{Version: "0.1.0", Title: "t", Frozen: netgen.Forms()[0].Model().Freeze()}
	for at, whole := 0, len(written(t, p)); at < whole; at += 4999 {
		if _, err := p.WriteTo(&failing{at}); err == nil {
			t.Fatalf("a disk that is full after %d of %d bytes was not noticed", at, whole)
		}
	}
}
