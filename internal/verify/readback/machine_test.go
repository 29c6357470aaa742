package readback

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"ialgn/internal/outfile"
	"ialgn/internal/tool"
	"ialgn/internal/verify/cec"
	"ialgn/netlist"
)

// Signal is one bit of a Verilog module: of a port, of a register, or of a pin of an instantiated module.
type Signal struct {
	Name string
	Bit  int
}

// String returns the signal in Verilog notation.
func (s Signal) String() string { return fmt.Sprintf("%s[%d]", s.Name, s.Bit) }

// Machine is one clock of a Verilog module as a netlist. The input port x has the module's inputs, the current values
// of its registers, and the outputs of memories and of modules that are not read. The output port h has the module's
// outputs, the next values of its registers, and the inputs of these memories and modules. A signal for a register
// has the register's name in the module, after the path of instances. The signal for its next value has the same name
// followed by [Next]. Pins of a memory are called MEMORY.RD_DATA and so on, as in yosys. Pins of a module are called
// MODULE.PORT. The write address and write data of a memory are 0 while the memory is not written.
type Machine struct {
	Inputs, Outputs []Signal // one for each bit of x and of h
	Starts          map[Signal]bool
	Memories        map[string]Memory
	Tool            string // the program that read the Verilog

	netlist   *netlist.Netlist
	registers int
	unknown   int // number of additional inputs of the netlist, whose values must not matter
}

// Next is the suffix of the name of a register's next value.
const Next = "'"

// MachineOptions describes the module to read. Clock is the input that must clock all registers and memories.
type MachineOptions struct {
	Module string
	Clock  string
	Files  []string // Verilog; the files that fill its memories are in the same folder
	Box    string   // Verilog of the modules that are not read, with ports only
	Limit  time.Duration
}

// machineScript is the yosys script. It is similar to [script], but it flattens all instances and keeps each memory,
// with its contents, as one cell.
const machineScript = `logger -werror .
read_verilog -lib box.v
read_verilog %s
hierarchy -check -top %s
proc -noopt
memory_collect
flatten
chtype -set ` + memoryCell + ` t:$mem_v2
techmap t:$* t:$add %%d t:$gt %%d
simplemap
techmap t:$* t:$add %%d t:$gt %%d
write_blif -param ` + blifName + `
`

// ReadMachine reads a module with registers. If a file is not such a module, it returns an error that [mismatched]
// recognises. This error does not mean that a program has failed.
func ReadMachine(ctx context.Context, o MachineOptions) (*Machine, error) {
	yosys, err := tool.Find("yosys")
	if err != nil {
		return nil, err
	}
	dir, err := outfile.MakeTemp("ialgn-machine-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := writeMachine(dir, o); err != nil {
		return nil, err
	}
	limit := o.Limit
	if limit == 0 {
		limit = cec.DefaultLimit
	}
	out, err := yosys.Run(ctx, tool.Command{Args: []string{"-q", "-T", "-s", scriptName}, Dir: dir, Limit: limit})
	var failed *tool.FailedError
	if errors.As(err, &failed) && ctx.Err() == nil {
		return nil, mismatch("yosys does not read it: %s", complaint(out.Stdout+out.Stderr, failed))
	}
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(dir, blifName))
	if err != nil {
		return nil, err
	}
	m, err := newMachine(text, o)
	if err != nil {
		return nil, cmp.Or(tool.CheckRoom(dir), err) // yosys does not report that its output is truncated
	}
	m.Tool = yosys.Version(ctx)
	return m, nil
}

// mismatched returns the reason for which a file was refused. ok is false if err is another kind of error.
func mismatched(err error) (why string, ok bool) {
	var is *mismatchError
	if errors.As(err, &is) {
		return is.Error(), true
	}
	return "", false
}

// writeMachine copies the Verilog files into a folder, together with the files that fill memories. It refuses names
// with a backslash, because several of them can become the same name in BLIF.
func writeMachine(dir string, o MachineOptions) error {
	var names []string
	for i, path := range o.Files {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if at := unknown(text); at > 0 {
			return mismatch("%s, line %d: an x or z", filepath.Base(path), at)
		}
		if bytes.IndexByte(commentPattern.ReplaceAll(text, nil), '\\') >= 0 {
			return mismatch("%s has an escaped name", filepath.Base(path))
		}
		if err := copyFills(dir, filepath.Dir(path), text); err != nil {
			return err
		}
		names = append(names, "file"+strconv.Itoa(i)+".v")
		if err := os.WriteFile(filepath.Join(dir, names[i]), text, 0o666); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "box.v"), []byte(o.Box), 0o666); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, scriptName), fmt.Appendf(nil, machineScript, strings.Join(names, " "),
		o.Module), 0o666)
}

// fillPattern matches the statement that fills a memory. The writers name files without a folder.
var fillPattern = regexp.MustCompile(`\$readmemh\("([A-Za-z0-9_]+\.hex)"`)

// copyFills copies the files that fill memories, if they exist.
func copyFills(to, from string, text []byte) error {
	for _, m := range fillPattern.FindAllSubmatch(text, -1) {
		data, err := os.ReadFile(filepath.Join(from, string(m[1])))
		if err == nil {
			err = os.WriteFile(filepath.Join(to, string(m[1])), data, 0o666)
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// machineReader converts the only module of a BLIF file to a module without state.
type machineReader struct {
	*module
	m            *Machine
	clock        int32
	starts       map[string]byte
	moduleInputs []Signal // inputs in the module's order
	wanted       []wanted // outputs
	clocks       []wanted // nets that must be the clock of registers and memories
}

// wanted is a net that becomes an output of the machine.
type wanted struct {
	Signal
	net int32
}

func newMachine(text []byte, o MachineOptions) (*Machine, error) {
	plain, memories, err := takeMemories(text)
	if err != nil {
		return nil, err
	}
	modules, err := readBLIF(bytes.NewReader(plain), '0') // '0': start value of rst_n's registers
	if err != nil {
		return nil, err
	}
	top := modules[o.Module]
	if top == nil {
		return nil, mismatch("yosys reads no module %s", o.Module)
	}
	r := &machineReader{
		module: top, m: &Machine{Starts: map[Signal]bool{}, Memories: map[string]Memory{}},
		starts: startsOf(text),
	}
	clock, ok := top.nets[o.Clock]
	if !ok || top.driver[clock] != inputPort {
		return nil, mismatch("no input %s", o.Clock)
	}
	r.clock = clock
	return r.machine(memories)
}

// machine cuts the module open at its registers and instances, and builds the netlist.
func (r *machineReader) machine(memories []memoryPart) (*Machine, error) {
	for _, v := range r.inputs {
		r.moduleInputs = append(r.moduleInputs, signal(r.names[v]))
	}
	for _, v := range r.outputs {
		r.wanted = append(r.wanted, wanted{signal(r.names[v]), v})
	}
	var left []part
	for _, p := range r.parts {
		var err error
		switch {
		case p.kind == register:
			err = r.register(p)
		case p.kind == instance && p.of == memoryCell:
			if len(memories) == 0 {
				return nil, mismatch("yosys reads a memory without a name")
			}
			err, memories = r.memory(p, memories[0]), memories[1:]
		case p.kind == instance:
			err = r.box(p)
		default:
			left = append(left, p)
			continue
		}
		if err != nil {
			return nil, err
		}
	}
	r.parts = left
	return r.build()
}

// build evaluates the remaining parts, which have no state.
func (r *machineReader) build() (*Machine, error) {
	for v := range r.driver { // the parts have been renumbered
		if r.driver[v] >= 0 {
			r.driver[v] = noDriver
		}
	}
	for i, p := range r.parts {
		for _, v := range p.out {
			r.driver[v] = int32(i)
		}
	}
	r.free()
	r.show()
	g, err := elaborate(map[string]*module{r.name: r.module}, r.name)
	if err != nil {
		return nil, err
	}
	for _, w := range r.clocks {
		if g.outputs[newBit(r.names[w.net])] != g.inputs[newBit(r.names[r.clock])] {
			return nil, mismatch("%s has another clock than %s", w.Signal, r.names[r.clock])
		}
	}
	b := newBuilder(g, r.name)
	for i, v := range b.Input("x", len(r.inputs), 1, nil) {
		b.net[1+i] = v
	}
	r.m.Inputs = r.moduleInputs
	var h []netlist.Net
	at := map[Signal]literal{}
	for _, w := range r.wanted {
		at[w.Signal] = g.outputs[newBit(r.names[w.net])]
	}
	for _, w := range r.wanted {
		h, r.m.Outputs = append(h, b.build(g.written(w.Signal, at))), append(r.m.Outputs, w.Signal)
	}
	b.Output("h", 1, nil, h)
	r.m.netlist = b.Netlist()
	return r.m, nil
}

// free makes a separate input for each use of an unknown value. yosys makes unknown values when it shifts a word
// beyond its end. Nothing may depend on these inputs.
func (r *machineReader) free() {
	for _, p := range r.parts {
		for i, v := range p.in {
			if r.driver[v] != noDigit {
				continue
			}
			p.in[i] = int32(len(r.names))
			r.names, r.driver = append(r.names, fmt.Sprintf("$unknown%d", len(r.names))), append(r.driver, inputPort)
			r.inputs = append(r.inputs, p.in[i])
			r.m.unknown++
		}
	}
}

// show turns the wanted nets into the module's outputs, and hides the names of all other nets. Some of the other nets
// have no value.
func (r *machineReader) show() {
	r.outputs = nil
	shown := make([]bool, len(r.names))
	for _, v := range r.inputs {
		shown[v] = true
	}
	for _, w := range slices.Concat(r.wanted, r.clocks) {
		r.outputs, shown[w.net] = append(r.outputs, w.net), true
	}
	for v := range r.names {
		if !shown[v] {
			r.names[v] = "$" + r.names[v]
		}
	}
}

func signal(name string) Signal {
	b := newBit(name)
	return Signal{b.name, b.index}
}

// give makes a net an input of the machine.
func (r *machineReader) give(s Signal, v int32) error {
	if r.driver[v] >= 0 {
		r.driver[v] = noDriver
	}
	if r.driver[v] != noDriver {
		return mismatch("%s has more than one driver", s)
	}
	r.driver[v] = inputPort
	r.inputs, r.moduleInputs = append(r.inputs, v), append(r.moduleInputs, s)
	return nil
}

// register cuts a register open. The register's output becomes an input of the machine, and its next value becomes an
// output. If yosys added the register, its output is left without a driver, so nothing may read it.
func (r *machineReader) register(p part) error {
	name := r.names[p.out[0]]
	s := signal(name)
	if strings.HasPrefix(name, "$") {
		r.driver[p.out[0]] = noDriver
		return nil
	}
	r.clocks = append(r.clocks, wanted{s, p.in[1]})
	if start, ok := r.starts[name]; ok {
		r.m.Starts[s] = start == '1'
	}
	r.m.registers++
	r.wanted = append(r.wanted, wanted{Signal{s.Name + Next, s.Bit}, p.in[0]})
	return r.give(s, p.out[0])
}

// box cuts open an instance of a module that is not read. The nets at the instance's outputs become inputs of the
// machine. The nets at its inputs have other drivers.
func (r *machineReader) box(p part) error {
	for _, s := range r.moduleInputs {
		if strings.HasPrefix(s.Name, p.of+".") {
			return mismatch("%s is there more than once", p.of)
		}
	}
	for i, port := range p.ports {
		s := signal(port)
		s.Name = p.of + "." + s.Name
		if err := r.pin(s, p.in[i]); err != nil {
			return err
		}
	}
	return nil
}

// pin cuts a pin open. The pin is an output of its instance if nothing else drives the pin's net.
func (r *machineReader) pin(s Signal, v int32) error {
	if r.driver[v] == noDriver {
		return r.give(s, v)
	}
	r.wanted = append(r.wanted, wanted{s, v})
	return nil
}

// startsOf returns the initial values of registers. It omits registers for which the file gives no initial value.
func startsOf(text []byte) map[string]byte {
	starts := map[string]byte{}
	for line := range bytes.Lines(text) {
		if f := bytes.Fields(line); len(f) == 6 && string(f[0]) == ".latch" && (f[5][0] == '0' || f[5][0] == '1') {
			starts[string(f[2])] = f[5][0]
		}
	}
	return starts
}

// Registers returns the number of bits of all registers.
func (m *Machine) Registers() int { return m.registers }

// Width returns the number of bits of the netlist's input x. The bits are the signals in m.Inputs, followed by the
// unknown values, on which nothing may depend.
func (m *Machine) Width() int { return len(m.Inputs) + m.unknown }

// Compare compares the machine with a netlist that has the same ports x and h, for every input. The comparison covers
// one clock in every state. Compare returns the outputs that differ, and the method that led to the verdict.
func (m *Machine) Compare(ctx context.Context, want *netlist.Netlist, limit time.Duration) (v cec.Verdict,
	differ []Signal, by string, err error,
) {
	engine, err := cec.New()
	if err != nil {
		return cec.Undecided, nil, "", err
	}
	defer engine.Close()
	engine.Limit = limit
	by = m.Tool + ", " + engine.Version(ctx)
	bits, decided, err := compareCuts(ctx, engine, want, m.netlist)
	for _, i := range bits {
		differ = append(differ, m.Outputs[i])
	}
	switch {
	case err != nil || !decided && len(bits) == 0:
		return cec.Undecided, nil, by, err
	case len(bits) > 0:
		return cec.Different, differ, by, nil
	}
	return cec.Equivalent, nil, by, nil
}
