// Package interchange turns the networks of other frameworks into models.
//
// A reader of a format (a subpackage) produces a [graph.Network], which has either layers of nodes with their
// parameters or a circuit. [Model] turns the network into a model that computes the same results. The model is like
// any other model:
//
//   - Real thresholds become cuts, which are the encoder's real thresholds. A comparison with a cut in double
//     precision has the same result as the framework's comparison in single precision. If features are known to be
//     whole numbers of a known width, the thresholds become whole numbers instead.
//   - Layers keep their parameters and candidates, so that training can continue. A circuit also becomes layers.
//     Additional nodes pass bits on to later layers.
//   - A permutation before the sum becomes the order of the last layer's nodes.
//   - Constant nodes adjust the counts. Nodes that are 0 fill up smaller groups. Nodes that are 1 add the whole
//     number by which a class's beta exceeds the least beta. In the compiled circuit, these constants cost nothing.
//   - The least beta is the same for all classes and does not change the predicted class. It is only recorded
//     ([model.Origin]).
package interchange

import (
	"fmt"

	"ialgn/internal/config"
	"ialgn/internal/interchange/given"
	"ialgn/internal/interchange/graph"
	"ialgn/internal/model"
	"ialgn/internal/topology"
)

// maxDepth is the largest number of layers. The number is limited because the file's header describes each layer.
const maxDepth = 8192

// Options holds data about a model that neither the file nor the network has.
type Options struct {
	Name    string             // name of the model
	Classes []string           // names of the classes; if nil, classes are named by their numbers
	Words   given.InputNumbers // set if the features are whole numbers; see wordInputs
	Files   []model.Start      // the files from which the network was read
}

// Model returns a network as a model. It returns an error if the network is not valid. The cause is a fault in the
// reader or a contradiction between the network and the user's options.
func Model(n *graph.Network, opt Options) (*model.Model, error) {
	x, err := newInputs(&n.Input, opt.Words)
	if err != nil {
		return nil, err
	}
	counted, beta, err := groups(&n.Sum)
	if err != nil {
		return nil, err
	}
	if err := checkGroups(n, counted); err != nil {
		return nil, err
	}
	var sections []model.Section
	if n.Dense != nil && x.plain {
		sections, err = denseSections(n, x, counted)
	} else {
		sections, err = circuitSections(n, x, counted)
	}
	if err != nil {
		return nil, err
	}
	m := &model.Model{
		Encoder: x.encoder, Sections: sections, Width: len(counted) * len(counted[0]), Classes: opt.Classes,
	}
	if m.Classes == nil {
		for c := range counted {
			m.Classes = append(m.Classes, fmt.Sprint(c))
		}
	}
	if len(m.Classes) != len(counted) {
		return nil, fmt.Errorf("names of %d classes, the network has %d", len(m.Classes), len(counted))
	}
	m.Config = configuration(m, opt.Name, n.Sum.Tau)
	m.Record.DataSet = n.Format
	m.Record.Origin = &model.Origin{Format: n.Format, Files: opt.Files, Beta: beta}
	return m, m.Validate()
}

// checkGroups checks that every counted bit exists.
func checkGroups(n *graph.Network, counted [][]graph.Ref) error {
	var last int
	switch {
	case n.Dense != nil:
		last = n.Dense[len(n.Dense)-1].Width
	case n.Circuit != nil:
		last = n.Circuit.Inputs + n.Circuit.Nodes()
	default:
		return fmt.Errorf("a network without nodes")
	}
	for c, group := range counted {
		for _, r := range group {
			if r < graph.True || int(r) >= last {
				return fmt.Errorf("class %d counts bit %d, want 0 to %d", c, r, last-1)
			}
		}
	}
	return nil
}

// configuration returns the configuration of a training run that would continue from the model. Its topology is
// "layered".
func configuration(m *model.Model, name string, tau float64) config.Config {
	c := config.Default()
	c.Name, c.Data = name, config.Data{Set: "memory", Plain: true}
	c.Encoder.Bits, c.Encoder.BitsIn = m.Encoder.Bits, m.Encoder.BitsIn
	keys := &c.Model
	keys.Topology, keys.Width, keys.Depth, keys.Tau = "layered", m.Width, len(m.Sections), tau
	keys.Inputs, keys.Widths, keys.Parametrization = 0, "", topology.Light
	gates := false
	for i := range m.Sections {
		s := &m.Sections[i]
		if i > 0 {
			keys.Widths += ","
		}
		keys.Widths += fmt.Sprint(s.Width)
		keys.Inputs = max(keys.Inputs, len(s.Pins))
		gates = gates || s.Arity == topology.Operations && len(s.Pins) == 2
	}
	if gates {
		keys.Parametrization = topology.Softmax16
	}
	keys.Anchors, keys.Hidden = m.Sections[0].Pins[0].K, 1
	if len(m.Sections) > 1 {
		keys.Hidden = m.Sections[1].Pins[0].K
	}
	given := map[string]bool{"width": true, "depth": true, "parametrization": true}
	keys.Complete(func(key string) bool { return given[key] })
	return c.Complete()
}
