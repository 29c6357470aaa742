package synth

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"ialgn/internal/flow"
	"ialgn/internal/message"
)

// Memory is a memory of a design that is filled from a file with one hexadecimal word on each line.
//
// A design for iCE40 is synthesised, placed and routed with random words in its memories. The real contents replace
// the random words afterwards. So designs that differ only in the contents of their memories can share a placement
// and routing.
type Memory struct {
	Name string // name of the file in $readmemh
	Text []byte // content of the file
	// Placeholder has random words in the same form. In any 256 words, no two columns of bits are equal. No other
	// memory has the same words.
	Placeholder []byte
}

// synthesised returns the content of a memory during synthesis.
func (o Options) synthesised(m Memory) []byte {
	if o.Device.Icestorm() {
		return m.Placeholder
	}
	return m.Text
}

// contentSuffix is the suffix of the files with the final contents of memories.
const contentSuffix = ".content"

// pack fills the memories of a routed design and makes its bitstream.
func (o Options) pack(ctx context.Context, routed, dir, bin string) error {
	if len(o.Memories) == 0 {
		return flow.Pack(ctx, routed, bin)
	}
	var memories []flow.IceMemory
	for _, m := range o.Memories {
		from := filepath.Join(dir, m.Name)
		memories = append(memories, flow.IceMemory{From: from, To: from + contentSuffix})
		if err := errors.Join(os.WriteFile(from, m.Placeholder, 0o666),
			os.WriteFile(from+contentSuffix, m.Text, 0o666)); err != nil {
			return err
		}
	}
	filled := filepath.Join(dir, o.Module+".asc")
	if err := flow.Fill(ctx, routed, filled, memories); err != nil {
		return err
	}
	for _, m := range memories {
		if err := os.Remove(m.To); err != nil {
			return err
		}
	}
	return flow.Pack(ctx, filled, bin)
}

// reuse makes a bitstream from the placement and routing of another design. The caller ensures that both
// designs have the same Verilog.
func (o Options) reuse(ctx context.Context, dir string) (*Report, error) {
	path := filepath.Join(o.Reuse, ReportName)
	r, err := ReadReport(o.Reuse)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, message.WithHint(fmt.Errorf("synth: nothing to reuse: %w", err), "synthesise that folder for %s first",
			o.Device.Name)
	case err != nil:
		return nil, err
	}
	best := r.Restore()
	if r.Target != o.Device.Name || r.Module != o.Module || !r.Device.Icestorm() || best == nil {
		return nil, fmt.Errorf("%s: contains no bitstream of %s for %s to reuse", path, o.Module,
			o.Device.Name)
	}
	routed := filepath.Join(dir, fmt.Sprintf("seed%d%s", best.Seed, o.Device.Placement().Routed))
	for _, name := range []string{filepath.Base(routed), o.Module + ".pcf", "netlist.v", "netlist.json"} {
		text, err := os.ReadFile(filepath.Join(o.Reuse, name))
		if err != nil {
			return nil, fmt.Errorf("synth: %w: synthesise that folder again", err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			return nil, err
		}
	}
	o.note("filling the memories of what seed " + fmt.Sprint(best.Seed) + " routed")
	r.Reused, r.Manifest = r.Manifest, o.Manifest
	r.Bitstream = filepath.Join(dir, o.Module+".bin")
	return r, o.pack(ctx, routed, dir, r.Bitstream)
}

// Restore completes a report that was read from a file. It returns the run that made the bitstream, or nil. In a
// report of an earlier version, the slowest path is a path from register to register, because other paths were not
// recorded.
func (r *Report) Restore() *Placed {
	for i := range r.Runs {
		p := &r.Runs[i]
		if p.Failed != "" {
			p.Result = nil
		}
		if p.Result != nil {
			p.Result.Seed = p.Seed
		}
	}
	best := r.Best()
	if best != nil {
		r.judgeClock(best)
	}
	return best
}
