package wrapper

import (
	_ "embed" // templates
	"fmt"
	"strings"
)

// Engine is a classifier that takes samples word by word, without a loader in front. It has the ports of the stream
// module. For [WriteUART] and [WriteSPI], it also needs an input named drop, which discards the part of a packet that
// has already arrived.
type Engine struct {
	Module  string
	Cycles  float64 // clocks from one sample to the next, on average
	Latency int     // clocks from a sample's first word to its result; see [Rate]
	Drop    bool    // the engine has an input named drop
}

// checkEngine returns an error if the engine cannot be connected.
func (o Options) checkEngine(word int) error {
	if o.Engine != nil && (word < 2 || word > 8) {
		return fmt.Errorf("wrapper: the engine %s takes words of %d bits, a byte at a time gives it 2 to 8 bits",
			o.Engine.Module, word)
	}
	return nil
}

// inner returns the modules inside a wrapper of bytes. They are the stream module with its loader or, for an engine,
// the module that gives the engine one byte at a time. If drop is set, the modules have an input named drop.
func (d *design) inner(stream string, drop bool) []module {
	if d.engine == nil {
		return []module{{stream, "bytes to results", d.streamModule(stream, drop)}, d.loader(stream)}
	}
	port, pin := "", ""
	if drop {
		port, pin = "    input  wire drop,\n", "      .drop(drop),\n"
	}
	unused := ""
	if word := d.input.Word; word < 8 {
		unused = fmt.Sprintf("  wire unused_bits = &{1'b0, in_data[7:%d]};\n\n", word)
	}
	var ports, connections strings.Builder
	for _, p := range d.n.OutputPorts() {
		fmt.Fprintf(&ports, "    output wire [%d:0] %s,\n", len(p.Nets)-1, p.Name)
		fmt.Fprintf(&connections, "      .%s(%s),\n", p.Name, p.Name)
	}
	return []module{{stream, "bytes to the engine", strings.NewReplacer(
		"@MODULE@", stream, "@ENGINE@", d.engine.Module, "@DROP@", port, "@DROPPIN@", pin, "@PORTS@", ports.String(),
		"@CONNECTIONS@", connections.String(), "@HIGH@", fmt.Sprint(d.input.Word-1), "@UNUSED@", unused,
	).Replace(engineModule)}}
}

// engineModule connects a wrapper of bytes to an engine. Each byte is a word. The byte's unused high bits are
// ignored.
//
//go:embed templates/engine_module.v
var engineModule string
