// Command pictures draws the generated pictures of the documentation, in the root of the repository:
//
//	go run ./lab/pictures
//
// Both pictures show the same small network. network.svg shows its gates. Graphviz draws it from ialgn's output in
// the format dot. stream.svg shows three samples that pass through the network's wrapper of kind stream. It is drawn
// from a simulation in Icarus Verilog.
//
// The following commands draw the accuracy of a model against the share of samples that it answers:
//
//	ialgn eval ecg.safetensors --json > eval.json
//	go run ./lab/pictures -rejection eval.json -o docs/pictures/heartbeats.svg
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"

	"ialgn"
	"ialgn/internal/report"
	"ialgn/lab/internal/command"
)

func main() { command.Main("pictures", start) }

func start(ctx context.Context, _ io.Writer, args []string) error {
	flags := flag.NewFlagSet("pictures", flag.ContinueOnError)
	evaluation := flags.String("rejection", "",
		"draw only the accuracy by share answered, from the JSON of eval in `FILE`")
	out := flags.String("o", "", "with -rejection: write the picture to `FILE`")
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch {
	case flags.NArg() > 0 || (*evaluation == "") != (*out == ""):
		return errors.New("give no arguments, or -rejection FILE -o FILE")
	case *evaluation == "":
		return run(ctx, filepath.Join("docs", "pictures"))
	}
	svg, err := rejection(*evaluation)
	if err != nil {
		return err
	}
	return os.WriteFile(*out, svg, 0o666)
}

// rejection returns the chart of a file that `ialgn eval --json` has printed, as SVG.
func rejection(name string) ([]byte, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var e ialgn.Evaluation
	if err := json.Unmarshal(text, &e); err != nil {
		return nil, fmt.Errorf("%s: %w: write the file with `ialgn eval MODEL --json`", name, err)
	}
	if len(e.Rejection) == 0 {
		return nil, fmt.Errorf("%s: has no results for margins: write the file with `ialgn eval MODEL --json`", name)
	}
	return report.RejectionChart(e.Rejection).SVG()
}

func run(ctx context.Context, to string) error {
	dir, err := os.MkdirTemp("", "pictures-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := design(ctx, dir); err != nil {
		return err
	}
	network, err := exec.CommandContext(ctx, "dot", "-Tsvg", filepath.Join(dir, "points.dot")).Output()
	if err != nil {
		return fmt.Errorf("dot (Debian package graphviz): %w", err)
	}
	waves, err := stream(ctx, dir)
	if err != nil {
		return err
	}
	for name, svg := range map[string][]byte{"network.svg": network, "stream.svg": waves} {
		if err := os.WriteFile(filepath.Join(to, name), svg, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// design trains a network and compiles it to dir. The network classifies points in a cube as above or below a plane.
func design(ctx context.Context, dir string) error {
	data := ialgn.Data{Classes: []string{"below", "above"}}
	r := rand.New(rand.NewPCG(1, 0))
	for range 400 {
		p, label := []float64{r.Float64(), r.Float64(), r.Float64()}, 0
		if p[0]+p[1] > p[2]+0.5 {
			label = 1
		}
		data.Features, data.Labels = append(data.Features, p), append(data.Labels, label)
	}
	c := ialgn.Config{Name: "points"}
	c.Encoder.Bits, c.Train.Epochs = 4, 20
	c.Model.Width, c.Model.Depth, c.Model.Anchors, c.Model.Tau, c.Model.Init = 6, 2, 4, 1, "random"
	m, err := ialgn.Train(ctx, c, data, ialgn.TrainOptions{})
	if err != nil {
		return err
	}
	defer m.Close()
	o := ialgn.CompileOptions{Optimise: ialgn.OptimiseNone, Wrap: "stream", Emit: []string{"dot"}}
	d, err := ialgn.Compile(ctx, m, o)
	if err != nil {
		return err
	}
	return d.Write(ctx, dir, ialgn.WriteOptions{})
}

// stimulus sends three samples of three words each. The sender pauses before the last word of the second sample. The
// receiver is not ready at the beginning of the first result.
const stimulus = `module play;
  reg clk = 0, rst = 1, in_valid = 0, in_last = 0, out_ready = 0;
  reg [7:0] in_data = 0;
  wire in_ready, out_valid, class_index, error;
  points_stream dut (
      .clk(clk), .rst(rst), .in_valid(in_valid), .in_ready(in_ready), .in_data(in_data), .in_last(in_last),
      .out_valid(out_valid), .out_ready(out_ready), .class_index(class_index), .error(error)
  );
  always #1 clk = ~clk;
  reg [7:0] words [0:8];
  integer i;
  initial begin
    words[0] = 200; words[1] = 180; words[2] = 20;
    words[3] = 30; words[4] = 60; words[5] = 220;
    words[6] = 250; words[7] = 10; words[8] = 90;
    $dumpfile("play.vcd");
    $dumpvars(1, play);
    @(negedge clk) rst = 0;
    for (i = 0; i < 9; i = i + 1) begin
      in_valid = 1; in_data = words[i]; in_last = i % 3 == 2;
      @(posedge clk);
      while (!in_ready) @(posedge clk);
      @(negedge clk);
      if (i == 4) begin in_valid = 0; @(negedge clk); end
    end
    in_valid = 0; in_last = 0;
    repeat (4) @(negedge clk);
    $finish;
  end
  initial begin
    wait (out_valid);
    repeat (2) @(negedge clk);
    out_ready = 1;
  end
endmodule
`

// stream simulates the wrapper and returns its waveform as SVG.
func stream(ctx context.Context, dir string) ([]byte, error) {
	if err := os.WriteFile(filepath.Join(dir, "play.v"), []byte(stimulus), 0o666); err != nil {
		return nil, err
	}
	for _, args := range [][]string{
		{"iverilog", "-g2001", "-o", "play.vvp", "play.v", "points_stream.v", "points_core.v"}, {"vvp", "-n", "play.vvp"},
	} {
		cmd := exec.CommandContext(ctx, args[0], args[1:]...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%s: %w\n%s", args[0], err, out)
		}
	}
	vcd, err := os.ReadFile(filepath.Join(dir, "play.vcd"))
	if err != nil {
		return nil, err
	}
	return draw(vcd, []string{
		"clk", "in_valid", "in_ready", "in_data", "in_last", "out_valid", "out_ready", "class_index",
	})
}
