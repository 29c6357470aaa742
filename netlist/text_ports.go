package netlist

import "math"

// input reads an input port. The numbers of its nets follow from the ports before it. The text lists the numbers
// anyway, so that a short text cannot declare a wide port.
func (p *textParser) input() {
	port, at := p.portHead("an input port's name")
	p.bus(&port, func() Net {
		v := p.b.n.firstCellNet + Net(len(port.Nets))
		p.next(v, "the input bit's net")
		return v
	})
	if p.err == nil {
		p.b.Input(port.Name, len(port.Nets), port.Word, port.Labels)
	}
	p.checkPort(at, &port)
}

// output reads an output port.
func (p *textParser) output() {
	port, at := p.portHead("an output port's name")
	p.bus(&port, p.driven)
	p.b.Output(port.Name, port.Word, port.Labels, port.Nets)
	p.checkPort(at, &port)
}

// probe reads a probe, which is one word without a label.
func (p *textParser) probe() {
	name, at := p.identifier("a probe's name")
	p.endLine()
	port := Port{Name: name}
	if p.blankLines(); p.tok.kind == tokenString {
		p.fail(p.tok, "a label in a probe, which has none: remove it")
	}
	p.bus(&port, p.driven)
	port.Word = len(port.Nets)
	p.b.Probe(name, port.Nets)
	p.checkPort(at, &port)
}

// portHead reads the name and word width of a port, such as "x word 8", up to the end of the line.
func (p *textParser) portHead(what string) (port Port, at token) {
	port.Name, at = p.identifier(what)
	p.word("word")
	port.Word = int(p.number("the word's width", math.MaxUint32))
	p.endLine()
	return port, at
}

// bus reads the nets of a port, and the label before each word. It calls the function net for each net.
func (p *textParser) bus(port *Port, net func() Net) {
	for p.blankLines(); ; p.blankLines() {
		switch {
		case p.tok.kind == tokenNumber:
			port.Nets = append(port.Nets, net())
		case p.tok.kind == tokenString && port.Word*len(port.Labels) == len(port.Nets):
			port.Labels = append(port.Labels, p.tok.text)
			p.advance()
		case p.tok.kind == tokenString:
			p.fail(p.tok, "label %d after %d nets, write each label before the nets of its word of %d bits",
				len(port.Labels)+1, len(port.Nets), port.Word)
			return
		default:
			return
		}
	}
}

// driven reads the number of a net that already has a driver.
func (p *textParser) driven() Net {
	t := p.tok
	v := p.net("the bit's net")
	if nets := p.b.n.Nets(); int(v) >= nets {
		p.fail(t, "net %d has no driver, the netlist has %d nets", v, nets)
	}
	return v
}

// checkPort checks a port that was read, and records its name.
func (p *textParser) checkPort(at token, port *Port) {
	if p.err != nil {
		return
	}
	if p.names[port.Name] {
		p.fail(at, "another port or probe has the name %s, rename one", port.Name)
	}
	p.names[port.Name] = true
	if err := p.b.n.checkPort(port); err != nil {
		p.fail(at, "port %s: %w", port.Name, err)
	}
}
