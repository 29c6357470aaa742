package main

import (
	"bytes"
	"io"
	"regexp"
	"strings"
	"testing"

	"ialgn/internal/testkit"
	"ialgn/internal/wrapper"
	"ialgn/netlist"
)

// pushPins maps each pin of the stream interface to its name in the made-up interface. The user pushes a word while
// there is room, and takes the result when the design is done.
var pushPins = map[string]string{
	"in_valid": "push", "in_ready": "room", "in_last": "final_word", "out_valid": "done", "out_ready": "take",
}

// renamed replaces the pin names of the stream interface by the names of the made-up interface. If instances is true,
// text instantiates the module; otherwise text is the module itself.
func renamed(text string, instances bool) string {
	for from, to := range pushPins {
		if instances {
			text = strings.ReplaceAll(text, "."+from+"(", "."+to+"(")
		} else {
			text = regexp.MustCompile(`\b`+from+`\b`).ReplaceAllString(text, to)
		}
	}
	return text
}

// pushKind returns an interface that ialgn does not have. It shows everything that has to be written for a new
// interface.
func pushKind(t *testing.T) *wrapper.Kind {
	t.Helper()
	stream, err := wrapper.Find(wrapper.EngineKind)
	if err != nil {
		t.Fatal(err)
	}
	return &wrapper.Kind{
		Name: "push", Clock: stream.Clock, Cycles: stream.Cycles, Bits: stream.Bits, Broken: stream.Broken,
		Bench: renamed(stream.Bench, true),
		Write: func(w io.Writer, n *netlist.Netlist, o wrapper.Options) error {
			var text bytes.Buffer
			if err := stream.Write(&text, n, o); err != nil {
				return err
			}
			_, err := io.WriteString(w, renamed(text.String(), false))
			return err
		},
		Ports: func(d *wrapper.Shape, o wrapper.Options) []wrapper.Port {
			ports := stream.Ports(d, o)
			for i, p := range ports {
				if to, ok := pushPins[p.Name]; ok {
					ports[i].Name = to
				}
			}
			return ports
		},
		Play: func(p wrapper.Played) wrapper.Player {
			player := stream.Play(p)
			player.Bench = renamed(player.Bench, true)
			return player
		},
	}
}

// TestMadeUpInterface compiles and verifies an interface that is defined only in this file, and runs its testbench.
func TestMadeUpInterface(t *testing.T) {
	testkit.Long(t, "verifies a made-up interface")
	for _, name := range []string{"iverilog", "yosys", "abc"} {
		testkit.FindTool(t, name)
	}
	remove, err := wrapper.Register(pushKind(t))
	if err != nil {
		t.Fatal(err)
	}
	defer remove()
	t.Chdir(t.TempDir())
	writeFile(t, "small.yaml", small)
	must(t, "train", "small.yaml", "-o", "m.st", "--quiet", "--set", "train.epochs=1", "--set", "model.width=20",
		"--set", "model.depth=2")
	if help := must(t, "compile", "--help"); !strings.Contains(help, "push") {
		t.Error("the help of compile does not name the interface")
	}
	must(t, "compile", "m.st", "-o", "out", "--module", "net", "--wrap", "push", "--target", "ice40", "--vectors", "9")
	if text := readFile(t, "out/net_push_inst.vh"); !strings.Contains(text, ".push(") ||
		!strings.Contains(text, ".room(") {
		t.Errorf("the instantiation template:\n%s", text)
	}
	out := must(t, "verify", "m.st", "out", "--samples", "20")
	for _, want := range []string{"values of a word; ", "20 samples", "verified"} {
		if !strings.Contains(out, want) {
			t.Errorf("%s: without %q", out, want)
		}
	}
	cells := []string{"iverilog", "-g2001", "-o", "tb.vvp", "net_push_tb.v", "net_push.v", "net_core.v"}
	if text, err := testkit.TryTool(t, "out", cells...); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if text, err := testkit.TryTool(t, "out", "vvp", "-n", "tb.vvp"); err != nil || text != "PASS: 9 vectors\n" {
		t.Errorf("its testbench: %v, %s", err, text)
	}
	must(t, "verify", "m.st", "out", "--level", "formal", "--samples", "20")
	if text := readFile(t, "out/certificate.json"); !strings.Contains(text, "the wrapper was compared with") {
		t.Errorf("the certificate does not say that the wrapper is not proved:\n%s", text)
	}
}

// TestRegisterWrapper checks that a kind with a missing part or with a name in use is refused.
func TestRegisterWrapper(t *testing.T) {
	for what, change := range map[string]func(k *wrapper.Kind){
		"name":   func(k *wrapper.Kind) { k.Name = "axis" },
		"none":   func(k *wrapper.Kind) { k.Name = "none" },
		"player": func(k *wrapper.Kind) { k.Play = nil },
		"broken": func(k *wrapper.Kind) { k.Broken = nil },
	} {
		k := pushKind(t)
		change(k)
		if _, err := wrapper.Register(k); err == nil {
			t.Errorf("case %q: the kind was registered", what)
		}
	}
}
