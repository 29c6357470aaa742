package readback

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ialgn/internal/verify/cec"
	"ialgn/internal/verilog"
	"ialgn/netlist"
)

// TestCorrelated changes functions of wires that are correlated. The changed text is another function of its
// neighbours, but the same function of the inputs, so it must be proved. The proof must not compare whole outputs,
// which may be too large for abc. Every fourth wire needs one more step than the others. One more change, which an
// input shows, must not be proved.
func TestCorrelated(t *testing.T) {
	needs(t)
	b := netlist.NewBuilder("net")
	x := b.Input("x", 80, 1, nil)
	var h []netlist.Net
	for i := range 70 {
		both := b.Function(0b1000, netlist.Origin{}, x[i], x[i+1])
		either := b.Function(0b1110, netlist.Origin{}, both, x[i+2])
		if i%4 == 3 {
			both = b.Function(0b1000, netlist.Origin{}, both, x[i+3])
			either = b.Function(0b1000, netlist.Origin{}, either, x[i+3])
		}
		h = append(h, b.Function(0b0110, netlist.Origin{}, both, either))
	}
	b.Output("h", 1, nil, h)
	d := written(t, b.Netlist(), verilog.Options{})
	changed := regexp.MustCompile(`= (\w+) \^ (\w+);`).ReplaceAllString(d.verilog, "= ~$1 & $2;")
	last := strings.LastIndex(changed, "= ~")
	wrong := changed[:last] + "= " + changed[last+len("= ~"):]
	for text, want := range map[string]cec.Verdict{changed: cec.Equivalent, wrong: cec.Different} {
		file := filepath.Join(t.TempDir(), "net.v")
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		g, _, err := read(t.Context(), Options{Module: "net", Files: []string{file}, Limit: cec.DefaultLimit})
		if err != nil {
			t.Fatal(err)
		}
		p, err := newPair(g, d.n)
		if err != nil {
			t.Fatal(err)
		}
		engine, err := cec.New()
		if err != nil {
			t.Fatal(err)
		}
		defer engine.Close()
		engine.Limit = cec.DefaultLimit
		cut, places := p.cutGraph()
		differ, decided, err := compareCuts(t.Context(), engine, p.cutNetlist(places), cut)
		if err != nil || !decided || len(differ) != 140 {
			t.Fatalf("%d wires differ as functions of their neighbours, want 70 and 70 outputs: %v", len(differ), err)
		}
		r := &Result{Verdict: cec.Undecided}
		if done, err := p.deeper(t.Context(), engine, differ, r); err != nil || !done || r.Verdict != want {
			t.Errorf("%+v: %v", r, err)
		}
		if r := d.prove(t, text); r.Verdict != want {
			t.Errorf("%+v", r)
		}
	}
}

// masked returns a design with a net named rare, which is a conjunction of two nets. The net rare affects the output
// for only one in 2^10 values of the other inputs. If never is set, it affects the output for no value.
func masked(t *testing.T, never bool) design {
	b := netlist.NewBuilder("net")
	x := b.Input("x", 20, 1, nil)
	and := func(in ...netlist.Net) netlist.Net {
		return b.Function(1<<(1<<len(in)-1), netlist.Origin{}, in...)
	}
	rare := and(and(x[:5]...), and(x[5:10]...))
	open := []netlist.Net{and(x[10:15]...), and(x[15:]...)}
	if never {
		open[1] = b.Function(1<<32-1-1<<31, netlist.Origin{}, x[10:15]...)
	}
	b.Output("h", 1, nil, []netlist.Net{and(rare, open[0], open[1])})
	return written(t, b.Netlist(), verilog.Options{})
}

// TestMasked changes a wire. Random samples do not show the change at the output, and most inputs that change the
// wire's value do not show it either. The verdict must be different if some input shows the change, and equivalent
// otherwise.
func TestMasked(t *testing.T) {
	needs(t)
	for never, want := range map[bool]cec.Verdict{false: cec.Different, true: cec.Equivalent} {
		d := masked(t, never)
		r := d.prove(t, change{"and", `(assign \w+ = \w+) & (\w+;)`, "$1 | $2", ""}.apply(t, d.verilog))
		if r.Verdict != want || want == cec.Different && len(r.Counterexample) < 15 {
			t.Errorf("never %v: %+v", never, r)
		}
	}
}
