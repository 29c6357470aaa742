//go:build linux

package main

import (
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"ialgn"
	"ialgn/backend"
	"ialgn/internal/tool"
	"ialgn/internal/verify/rtl"
	"ialgn/internal/wrapper"
)

// limit is the maximum time for the host program.
const limit = 30 * time.Minute

// run is one run of a host program against a simulation.
type run struct {
	dir, file string
	simulator string
	samples   int
}

// result is the output of the program.
type result struct {
	printed, said string     // text on standard output and on standard error
	records       [][]string // rows of CSV with the sample, the class and, if the design outputs counts, the counts
	simulator     string     // version of the simulator
	margin        int        // margin of the design; 0: it does not say which classes are uncertain
}

// design is the design to simulate.
type design struct {
	folder   *backend.Output
	module   string
	protocol wrapper.Protocol
	kind     *wrapper.Kind
	program  string // path of the host program
	work     string // working folder
}

// link connects the host program for an interface to the testbench. It returns the program and its arguments, except
// for the samples. The files of the connection are closed when the program has ended.
type link func(ctx context.Context, d *design, b *bench) (argv []string, err error)

// links maps each kind of wrapper that has a host program to its link.
var links = map[string]link{"uart": overTerminal, "axis": overPipes, "spi": overFrames, "byte": overPins}

// open reads an output folder.
func open(ctx context.Context, dir, work string) (*design, error) {
	out, err := backend.Read(ctx, dir)
	if err != nil {
		return nil, err
	}
	path, err := out.Path(backend.HostFormat)
	if err != nil {
		return nil, fmt.Errorf("%s: no program for the other end of an interface: compile with a --wrap that has one", dir)
	}
	d := &design{folder: out, module: out.Manifest.Module, work: work}
	if d.program, err = filepath.Abs(path); err != nil {
		return nil, err
	}
	if path, err = out.Path(backend.InputsFormat); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	about := struct{ Interface *wrapper.Protocol }{&d.protocol}
	if err := json.Unmarshal(text, &about); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	d.kind, err = wrapper.Find(d.protocol.Kind)
	return d, err
}

// host runs the program.
func (r run) host(ctx context.Context) (*result, error) {
	work, err := os.MkdirTemp("", "hostsim-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	d, err := open(ctx, r.dir, work)
	if err != nil {
		return nil, err
	}
	connect := links[d.kind.Name]
	if connect == nil || d.kind.Host == nil {
		return nil, fmt.Errorf("a wrapper %s has no simulation with a host", d.kind.Name)
	}
	samples, err := r.first(work)
	if err != nil {
		return nil, err
	}
	b, err := d.simulate(ctx, r.simulator, r.samples)
	if err != nil {
		return nil, err
	}
	defer b.stop()
	argv, err := connect(ctx, d, b)
	if err != nil {
		return nil, err
	}
	got, err := b.beside(ctx, work, append(argv, samples))
	b.close()
	version, failed := b.wait()
	if failed != nil {
		return nil, failed
	}
	if err != nil {
		return nil, err
	}
	got.simulator = version
	var options struct{ Reject int }
	if err := json.Unmarshal(d.folder.Manifest.Options, &options); err != nil {
		return nil, fmt.Errorf("%s: options: %w", r.dir, err)
	}
	got.margin = options.Reject
	return got, got.read()
}

// first copies the header and the first samples of the sample file into a new file in the working folder. It returns
// the path of the new file.
func (r run) first(work string) (string, error) {
	text, err := os.ReadFile(r.file)
	if err != nil {
		return "", err
	}
	lines := slices.Collect(strings.Lines(string(text)))
	path := filepath.Join(work, "samples.csv")
	return path, os.WriteFile(path, []byte(strings.Join(lines[:min(len(lines), r.samples+1)], "")), 0o666)
}

// started runs a program. argv[0] is the program's name or path.
func started(ctx context.Context, dir string, argv []string) (*result, error) {
	path, err := exec.LookPath(argv[0])
	if err != nil {
		return nil, fmt.Errorf("%s: not found: install it", argv[0])
	}
	p := &tool.Tool{Name: filepath.Base(argv[0]), Path: path}
	r, err := p.Run(ctx, tool.Command{Args: argv[1:], Dir: dir, Limit: limit})
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, r.Stderr)
	}
	return &result{printed: r.Stdout, said: r.Stderr}, nil
}

// read parses the classes in the program's output.
func (r *result) read() error {
	records, err := csv.NewReader(strings.NewReader(r.printed)).ReadAll()
	if err != nil || len(records) == 0 {
		return fmt.Errorf("the program printed no CSV (%v): %.200s", err, r.printed)
	}
	r.records = records[1:]
	return nil
}

// sources writes the testbench and the design's Verilog into the working folder, and returns the file names.
func (d *design) sources() ([]string, error) {
	p := d.protocol
	size := p.SampleBytes
	if p.Beat > 0 {
		size = (size + p.Beat - 1) / p.Beat * p.Beat
	}
	text := strings.NewReplacer("@TOP@", d.module+"_"+p.Kind, "@SAMPLE@", fmt.Sprint(size), "@RESULT@",
		fmt.Sprint(p.ResultBytes), "@BEAT@", fmt.Sprint(p.Beat)).Replace(d.kind.Host.Live)
	if err := os.WriteFile(filepath.Join(d.work, "live_tb.v"), []byte(text), 0o666); err != nil {
		return nil, err
	}
	names := []string{"live_tb.v"}
	for _, f := range d.folder.Manifest.Files {
		if !slices.Contains([]string{"core", "verilog", "cells", backend.FoldVerilog, p.Kind}, f.Format) &&
			filepath.Ext(f.Name) != ".hex" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(d.folder.Dir, f.Name))
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(d.work, f.Name), text, 0o666); err != nil {
			return nil, err
		}
		if filepath.Ext(f.Name) == ".v" {
			names = append(names, f.Name)
		}
	}
	return names, nil
}

// bench is a running testbench.
type bench struct {
	stop context.CancelFunc
	done chan struct{}
	out  rtl.Output
	err  error
	ends []io.Closer

	mu     sync.Mutex
	broken error // the error after which no more bytes are copied
}

// carry starts a function that copies bytes between the program and the testbench until one side is closed.
func (b *bench) carry(copied func() error) {
	go func() {
		err := copied()
		if err == nil || errors.Is(err, os.ErrClosed) {
			return
		}
		b.mu.Lock()
		b.broken = errors.Join(b.broken, err)
		b.mu.Unlock()
		b.stop()
	}()
}

// simulate starts the testbench, which waits for bytes.
func (d *design) simulate(ctx context.Context, simulator string, samples int) (*bench, error) {
	sources, err := d.sources()
	if err != nil {
		return nil, err
	}
	cost := samples * d.protocol.SampleBytes * d.folder.Netlist.Cells()
	if simulator, err = rtl.PickWhere(simulator, cost > largest); err != nil {
		return nil, err
	}
	for _, name := range []string{fromHost, toHost} {
		if err := pipe(filepath.Join(d.work, name)); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	b := &bench{stop: cancel, done: make(chan struct{})}
	go func() {
		defer close(b.done)
		b.out, b.err = rtl.Simulation{Dir: d.work, Sources: sources, Tops: []string{"live_tb"}}.Run(ctx, simulator)
	}()
	return b, nil
}

// beside runs a program while the testbench runs. If the testbench ends, the program is stopped.
func (b *bench) beside(ctx context.Context, dir string, argv []string) (*result, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-b.done:
			time.Sleep(time.Second) // the program may still be reading the last answers
			cancel()
		case <-ctx.Done():
		}
	}()
	return started(ctx, dir, argv)
}

// largest is a limit for a product, which is the number of bytes of all samples times the number of cells. Above this
// limit, verilator takes less time than iverilog.
const largest = 5_000_000

// These are the names of the files that a testbench reads and writes.
const (
	fromHost = "from_host"
	toHost   = "to_host"
)

// close closes the testbench's input, which ends the testbench.
func (b *bench) close() {
	for _, c := range b.ends {
		c.Close()
	}
}

// wait waits for the end of the testbench and returns the simulator's version.
func (b *bench) wait() (string, error) {
	select {
	case <-b.done:
	case <-time.After(time.Minute):
		b.stop()
		<-b.done
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.out.Version, cmp.Or(b.broken, b.err)
}

// decode copies bytes. The testbench writes each byte as a line of two digits.
func decode(to io.Writer, from io.Reader) error {
	digits := make([]byte, 3)
	for {
		if _, err := io.ReadFull(from, digits); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		value, err := strconv.ParseUint(string(digits[:2]), 16, 8)
		if err != nil {
			return fmt.Errorf("the testbench wrote %q: a line that does not know its value", digits)
		}
		if _, err := to.Write([]byte{byte(value)}); err != nil {
			return err
		}
	}
}

// compare compares the program's output with the model's results for the first samples of a file. If the margin is not
// 0, the program says which classes are uncertain.
func compare(ctx context.Context, model, file string, margin int, records [][]string) error {
	m, err := ialgn.Open(model)
	if err != nil {
		return err
	}
	defer m.Close()
	c, err := m.Classifier(ctx, "")
	if err != nil {
		return err
	}
	in, err := c.OpenFile(ctx, file)
	if err != nil {
		return err
	}
	defer in.Close()
	names, n := c.Classes(), 0
	err = in.Classify(ctx, func(_ int, classes []uint16, counts []int32) error {
		for i, class := range classes {
			if n == len(records) {
				return errEnough
			}
			want, of := []string{strconv.Itoa(n), names[class]}, counts[i*len(names):][:len(names)]
			if margin > 0 {
				sorted := slices.Sorted(slices.Values(of))
				lead := sorted[len(sorted)-1] - sorted[len(sorted)-2]
				want = append(want, map[bool]string{false: "0", true: "1"}[int(lead) < margin])
			}
			for _, count := range of {
				want = append(want, strconv.Itoa(int(count)))
			}
			have, least := records[n], 2+min(margin, 1)
			if len(have) < least || len(have) > len(want) || !slices.Equal(have, want[:len(have)]) {
				return fmt.Errorf("sample %d: the host has %v, ialgn predict %v", n, have, want)
			}
			n++
		}
		return nil
	})
	if err != nil && !errors.Is(err, errEnough) {
		return err
	}
	if n < len(records) {
		return fmt.Errorf("the host has %d classes, ialgn predict %d", len(records), n)
	}
	return nil
}

var errEnough = errors.New("enough")
