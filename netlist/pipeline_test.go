package netlist

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// clocked builds a netlist with input ports x and ce.
func clocked(build func(b *Builder, x []Net, ce Net)) *Netlist {
	b := NewBuilder("n")
	x := b.Input("x", 3, 1, nil)
	build(b, x, b.Input(EnablePort, 1, 1, nil)[0])
	return b.Netlist()
}

func TestPipeline(t *testing.T) {
	register := func(b *Builder, v, ce Net) Net { return b.Cell(Register, 0, none, v, ce) }
	for _, tt := range []struct {
		name  string
		build func(b *Builder, x []Net, ce Net)
		want  *Pipeline
		err   string
	}{
		{"no registers", func(b *Builder, x []Net, _ Net) { b.Output("y", 1, nil, x) }, nil, ""},
		{"two stages", func(b *Builder, x []Net, ce Net) {
			and := b.Function(8, none, x[0], x[1])
			b.Output("y", 1, nil, []Net{True, register(b, register(b, and, ce), ce)})
			b.Probe("p", []Net{and})
		}, &Pipeline{2, 1}, ""},
		{"constant outputs", func(b *Builder, x []Net, ce Net) {
			register(b, x[0], ce)
			b.Output("y", 1, nil, []Net{False})
		}, &Pipeline{0, 1}, ""},
		{
			"no enable", func(b *Builder, x []Net, _ Net) { b.Cell(Register, 0, none, x[0]) }, nil,
			"cell 0 (register, net 6): its enable is not input port ce",
		},
		{
			"another enable", func(b *Builder, x []Net, _ Net) { register(b, x[0], x[1]) }, nil,
			"cell 0 (register, net 6): its enable is not input port ce",
		},
		{"enable as data", func(b *Builder, x []Net, ce Net) {
			register(b, x[0], ce)
			b.Function(8, none, x[0], ce)
		}, nil, "cell 1 (function, net 7): it reads input port ce as data"},
		{
			"delayed enable", func(b *Builder, _ []Net, ce Net) { register(b, ce, ce) }, nil,
			"cell 0 (register, net 6): it reads input port ce as data",
		},
		{"enable as output", func(b *Builder, x []Net, ce Net) {
			register(b, x[0], ce)
			b.Output("y", 1, nil, []Net{x[0], ce})
		}, nil, `bit 1 of output port "y" is input port ce`},
		{"outputs in two stages", func(b *Builder, x []Net, ce Net) {
			b.Output("y", 1, nil, []Net{register(b, x[0], ce)})
			b.Output("z", 1, nil, x[:1])
		}, nil, `bit 0 of output port "z" is in pipeline stage 0 and an earlier bit in stage 1`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n := clocked(tt.build)
			if err := n.Validate(); err != nil {
				t.Fatal(err)
			}
			got, err := n.Pipeline()
			if tt.err != "" {
				wantError(t, err, `netlist "n" has registers but is no pipeline: `+tt.err)
				if _, _, again := Transparent(n); again == nil || again.Error() != err.Error() {
					t.Errorf("Transparent: error %v", again)
				}
				return
			}
			if diff := cmp.Diff(tt.want, got); diff != "" || err != nil {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
			if inputs := len(n.DataInputs()); got != nil && inputs != 1 || got == nil && inputs != 2 {
				t.Errorf("%d data inputs", inputs)
			}
			if len(n.InputPorts()) != 2 {
				t.Error("an input port is gone")
			}
		})
	}
	b := NewBuilder("n")
	b.Cell(Register, 0, none, b.Input("x", 1, 1, nil)[0], b.Input(EnablePort, 2, 2, nil)[0])
	_, err := b.Netlist().Pipeline()
	wantError(t, err, `netlist "n" has registers but is no pipeline: it has no input port ce of one bit to enable them`)
}

// TestTransparent removes the registers and the enable from a netlist. The enable is the first port of the netlist.
func TestTransparent(t *testing.T) {
	b, plain := NewBuilder("n"), NewBuilder("n")
	ce := b.Input(EnablePort, 1, 1, nil)[0]
	origin := Origin{Layer: 1, Chain: 2}
	build := func(b *Builder, delay func(v Net) Net) {
		x := b.Input("x", 2, 1, []string{"a", "b"})
		and := b.Function(8, origin, x[0], x[1])
		late := delay(and)
		count := b.Cell(Popcount, 0, none, late, delay(x[0]), True)
		b.Output("y", 1, nil, []Net{delay(count), False, delay(count + 1)})
		b.Probe("p", []Net{and})
	}
	build(b, func(v Net) Net { return b.Cell(Register, 0, none, v, ce) })
	build(plain, func(v Net) Net { return v })
	n := b.Netlist()
	got, to, err := Transparent(n)
	if err != nil {
		t.Fatal(err)
	}
	if want := plain.Netlist(); !got.Equal(want) {
		t.Errorf("transparent:\n%+v, want\n%+v", got, want)
	}
	if to(ce) != False || to(3) != 2 || to(4) != 3 || to(5) != 4 || to(6) != 4 {
		t.Errorf("nets 2 to 6 became %v %v %v %v %v", to(ce), to(3), to(4), to(5), to(6))
	}
	if again, _, err := Transparent(got); err != nil || !again.Equal(got) {
		t.Errorf("without registers it is another netlist (%v)", err)
	}
}
