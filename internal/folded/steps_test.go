package folded

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ialgn/internal/tool"
)

// toy is the handwritten core and head of a network. The state has two bits. One bit is the parity of the levels of
// all words so far. The other bit says whether the first word of the last step was above its threshold.
const toy = `
module toy_core (input wire [3:0] x, output wire [1:0] h);
  assign h = {x[0], x[2] ^ x[0] ^ x[1]};
endmodule
module toy_head (input wire [1:0] x, output wire [1:0] class_index);
  assign class_index = x;
endmodule
`

// bench sends the words in a file and takes classes. It pauses both between words and between classes.
const bench = `
module bench;
  reg clk = 0, rst = 1, in_valid = 0, in_last = 0, out_ready = 0, drop = 0;
  reg [3:0] in_data = 0;
  wire in_ready, out_valid, error;
  wire [1:0] class_index;
  toy_fold dut (.clk(clk), .rst(rst), .in_valid(in_valid), .in_ready(in_ready), .in_data(in_data), .in_last(in_last),
    @DROP@.out_valid(out_valid), .out_ready(out_ready), .class_index(class_index), .error(error));
  always #5 clk = ~clk;
  reg [5:0] words[0:9999];
  integer next = 0, clocks = 0;
  initial $readmemb("words.txt", words);
  always @(negedge clk) begin
    clocks <= clocks + 1;
    if (clocks == 3) rst <= 0;
    if (clocks > 4) begin
      if (!in_valid | taken) begin
        in_valid <= 0;
        drop <= 0;
        if (next < @COUNT@ && (@FAST@ || $random % 3 != 0)) begin
          {drop, in_last, in_data} <= words[next];
          in_valid <= ~words[next][5];
          next <= next + 1;
        end
      end
      out_ready <= @FAST@ || $random % 4 == 0;
      if (clocks == 40000) begin
        $display("error %b", error);
        $finish;
      end
    end
  end
  reg taken = 0;
  always @(posedge clk) begin
    taken <= in_valid & in_ready;
    if (in_valid & in_ready & @FAST@) $display("word at %0d", clocks);
    if (~rst & out_valid & out_ready) begin
      if (@FAST@) $display("class at %0d", clocks);
      $display("class %0d", class_index);
    end
  end
endmodule
`

// packet is a packet that a test sends.
type packet struct {
	words   []int
	dropped bool // whether the packet is dropped before its end
}

// class returns the class of a packet of three steps with two words each, by the definition of toy.
func (p packet) class() int {
	parity := 0
	for _, w := range p.words {
		if w > 7 {
			parity ^= 1
		}
	}
	first := 0
	if p.words[4] > 7 {
		first = 1
	}
	return first<<1 | parity
}

// run simulates the engine with packets and returns the bench's output.
func run(t *testing.T, s *StepsShape, packets []packet, fast bool) string {
	t.Helper()
	dir, words, n := t.TempDir(), strings.Builder{}, 0
	for _, p := range packets {
		for i, w := range p.words {
			last := 0
			if i == len(p.words)-1 && !p.dropped {
				last = 1
			}
			fmt.Fprintf(&words, "0%d%04b\n", last, w)
			n++
		}
		if p.dropped {
			words.WriteString("100000\n")
			n++
		}
	}
	var text bytes.Buffer
	if err := s.WriteVerilog(&text, nil); err != nil {
		t.Fatal(err)
	}
	drop, quick := "", "0"
	if s.Drop {
		drop = ".drop(drop), "
	}
	if fast {
		quick = "1"
	}
	tb := strings.NewReplacer("@COUNT@", fmt.Sprint(n), "@DROP@", drop, "@FAST@", quick).Replace(bench)
	for name, content := range map[string]string{"words.txt": words.String(), "all.v": text.String() + toy + tb} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"iverilog", "-g2005", "-o", "sim", "all.v"}, {"vvp", "sim"}} {
		program, err := tool.Find(args[0])
		if err != nil {
			t.Skip(err)
		}
		r, err := program.Run(t.Context(), tool.Command{Args: args[1:], Dir: dir, Limit: time.Minute})
		if err != nil {
			t.Fatalf("%v: %v\n%s%s", args, err, r.Stdout, r.Stderr)
		}
		if args[0] == "vvp" {
			return r.Stdout
		}
	}
	return ""
}

func toyShape(drop bool) *StepsShape {
	s := &StepsShape{
		Frame: Frame{Module: "toy_fold", Drop: drop, WordBits: 4, Classes: 4}, Steps: 3, State: 2, Core: "toy_core",
		Head: "toy_head",
	}
	for range 6 {
		s.Thresholds = append(s.Thresholds, []uint16{7})
	}
	return s
}

// TestProtocol sends packets of all lengths and drops some of them. Only complete packets of six words have a class.
func TestProtocol(t *testing.T) {
	for _, drop := range []bool{false, true} {
		r := rand.New(rand.NewPCG(1, 2))
		var packets []packet
		var want strings.Builder
		for range 300 {
			n := 6
			if r.IntN(3) == 0 {
				n = 1 + r.IntN(19)
			}
			p := packet{dropped: drop && r.IntN(6) == 0}
			for range n {
				p.words = append(p.words, r.IntN(16))
			}
			if n == 6 && !p.dropped {
				fmt.Fprintf(&want, "class %d\n", p.class())
			}
			packets = append(packets, p)
		}
		want.WriteString("error 1\n")
		got := run(t, toyShape(drop), packets, false)
		var lines strings.Builder
		for line := range strings.Lines(got) {
			if strings.HasPrefix(line, "class") || strings.HasPrefix(line, "error") {
				lines.WriteString(line)
			}
		}
		if lines.String() != want.String() {
			t.Errorf("drop %v: %s\nwant %s", drop, lines.String(), want.String())
		}
	}
}

// TestStepsCost compares the numbers of clocks in an engine's cost with a simulation without pauses.
func TestStepsCost(t *testing.T) {
	s := toyShape(false)
	var packets []packet
	for range 10 {
		packets = append(packets, packet{words: make([]int, 6)})
	}
	var words, classes []int
	for line := range strings.Lines(run(t, s, packets, true)) {
		var at int
		if _, err := fmt.Sscanf(line, "word at %d", &at); err == nil {
			words = append(words, at)
		} else if _, err := fmt.Sscanf(line, "class at %d", &at); err == nil {
			classes = append(classes, at)
		}
	}
	if len(words) != 60 || len(classes) != 10 {
		t.Fatalf("%d words, %d classes", len(words), len(classes))
	}
	c := s.Cost()
	if got := classes[0] - words[0]; got != c.Latency {
		t.Errorf("latency %d, of the simulation %d", c.Latency, got)
	}
	if got := float64(classes[9]-classes[1]) / 8; got != c.Cycles {
		t.Errorf("%v clocks a sample, of the simulation %v", c.Cycles, got)
	}
}

// TestShapeRefusesMisfits checks that inconsistent shapes are refused.
func TestShapeRefusesMisfits(t *testing.T) {
	for name, change := range map[string]func(s *StepsShape){
		"module": func(s *StepsShape) { s.Module = "a b" },
		"steps":  func(s *StepsShape) { s.Steps = 4 },
		"none":   func(s *StepsShape) { s.Steps = 0 },
		"state":  func(s *StepsShape) { s.State = 0 },
	} {
		s := toyShape(false)
		change(s)
		if err := s.WriteVerilog(&bytes.Buffer{}, nil); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
