package wrapper

import (
	"fmt"
	"strings"

	"ialgn/netlist"
)

// tagNames are the names in the modules of wrappers that belong to the tag.
var tagNames = []string{netlist.TagInPort, netlist.TagOutPort, "sample_tag", "s_axis_tuser", "m_axis_tuser"}

// checkTag refuses a tag that the interface, or what the wrapper is around, does not have.
func (o Options) checkTag(kind *Kind) error {
	switch {
	case o.Tag < 0 || o.Tag > netlist.MaxTag:
		return fmt.Errorf("wrapper: a tag of %d bits: give 1 to %d, or 0 for none", o.Tag, netlist.MaxTag)
	case o.Tag > 0 && !kind.Tags:
		return fmt.Errorf("wrapper: a tag of %d bits: the interface %s has no signals for it", o.Tag, kind.Name)
	case o.Tag > 0 && o.Engine != nil:
		return fmt.Errorf("wrapper: a tag of %d bits: the engine %s has no registers for it", o.Tag, o.Engine.Module)
	}
	return nil
}

// outputs returns the ports that come with a result: those of the netlist, and the tag's.
func (d *design) outputs() []netlist.Port {
	list := d.n.OutputPorts()
	if d.tag > 0 {
		tag := netlist.Port{Name: netlist.TagOutPort, Word: d.tag, Nets: make([]netlist.Net, d.tag)} // nets that n lacks
		list = append(list[:len(list):len(list)], tag)
	}
	return list
}

// ofTag returns a text about the tag with its highest bit in the place of @HIGH@, and nothing where there is no tag.
func (d *design) ofTag(text string) string {
	if d.tag == 0 {
		return ""
	}
	return strings.ReplaceAll(text, "@HIGH@", fmt.Sprint(d.tag-1))
}
