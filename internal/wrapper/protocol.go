package wrapper

import (
	"ialgn/netlist"
)

// Protocol describes an interface that transfers bytes, for a host that sends samples and reads results.
type Protocol struct {
	Kind        string `json:"kind"`
	SampleBytes int    `json:"sample_bytes"`
	WordBits    int    `json:"word_bits"` // distance of consecutive words of a sample in bits: 1, 8 or 16
	ResultBytes int    `json:"result_bytes"`
	Class       Digits `json:"class"`               // the class in a result
	Uncertain   Digits `json:"uncertain,omitzero"`  // whether the class is uncertain; zero: the design does not say
	Counts      Digits `json:"counts"`              // the class counts, first class first; zero: no counts
	Beat        int    `json:"beat,omitempty"`      // bytes of a beat; 0: the interface has no beats
	Tag         int    `json:"tag,omitempty"`       // bits of the tag in tuser; 0: no tag
	Baud        int    `json:"baud,omitempty"`      // bit rate of a line
	IdleBits    int    `json:"idle_bits,omitempty"` // idle bits on a line before a new sample
	// Ahead is the number of samples that may be sent before their results are read. It is larger than one only if
	// results are shorter than samples and the design is at least as fast as the line.
	Ahead int `json:"ahead"`
}

// Digits says where numbers are in the bytes of a result. Number i has the bits from First + i*Step on. Bit b of a
// result is bit b % 8 of byte b / 8.
type Digits struct {
	First  int `json:"first"`
	Bits   int `json:"bits"`
	Step   int `json:"step"`
	Number int `json:"number"`
}

// mostAhead bounds [Protocol.Ahead].
const mostAhead = 16

// NewProtocol returns the protocol of a byte wrapper around a complete classifier. The netlist's output port
// class_index has the class. The class counts come from the port counts, if it exists. NewProtocol returns nil if
// the kind does not transfer bytes or the netlist has no class. It returns the errors of [NewRate].
func NewProtocol(kind string, n *netlist.Netlist, o Options) (*Protocol, error) {
	k, err := Find(kind)
	if err != nil {
		return nil, err
	}
	o.Levels = nil // the bytes are the same with and without the encoder in the wrapper
	rate, err := NewRate(kind, n, o)
	if err != nil || !k.Bytes {
		return nil, err
	}
	p := &Protocol{
		Kind: kind, SampleBytes: rate.SampleBytes, WordBits: laneOf(n.DataInputs()[0].Word), ResultBytes: rate.ResultBytes,
		Tag: o.Tag, Ahead: 1,
	}
	if k.Baud {
		_, p.Baud = o.Line()
		p.IdleBits = UARTIdle
		hz, _ := o.Line()
		if bit := hz / p.Baud; 10*p.ResultBytes <= 9*p.SampleBytes && rate.Cycles <= float64(10*(bit+1)*p.SampleBytes) {
			p.Ahead = mostAhead
		}
	}
	if k.Beat > 0 {
		p.Beat = o.axisBytes()
	}
	if !p.place(n.OutputPorts()) {
		return nil, nil
	}
	return p, nil
}

// place finds the positions of class and counts in the bytes of a result. It returns false if there is no class.
func (p *Protocol) place(outputs []netlist.Port) bool {
	first, _ := layOut(outputs)
	for i, port := range outputs {
		at, word := first[i], max(port.Word, 1)
		switch port.Name {
		case classPort:
			p.Class = Digits{First: at, Bits: len(port.Nets), Step: 8 * bytesOf(word, len(port.Nets)/word), Number: 1}
		case uncertainPort:
			p.Uncertain = Digits{First: at, Bits: len(port.Nets), Step: 8, Number: 1}
		case netlist.CountsPort:
			p.Counts = Digits{First: at, Bits: word, Step: laneOf(word), Number: len(port.Nets) / word}
		}
	}
	return p.Class.Number == 1
}

// These are the names of the output ports with the class and with the bit that says whether the class is uncertain.
const (
	classPort     = netlist.ClassPort
	uncertainPort = netlist.UncertainPort
)
