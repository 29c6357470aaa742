package wrapper

import (
	"fmt"
	"strings"

	"ialgn/netlist"
)

// tagNames lists the names that wrapper modules use for the tag.
var tagNames = []string{netlist.TagInPort, netlist.TagOutPort, "sample_tag", "s_axis_tuser", "m_axis_tuser"}

// checkTag returns an error if the interface or the design inside the wrapper does not support the tag.
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

// outputs returns the ports of a result, which are the netlist's ports and the tag.
func (d *design) outputs() []netlist.Port {
	list := d.n.OutputPorts()
	if d.tag > 0 {
		tag := netlist.Port{Name: netlist.TagOutPort, Word: d.tag, Nets: make([]netlist.Net, d.tag)} // not nets of n
		list = append(list[:len(list):len(list)], tag)
	}
	return list
}

// ofTag returns the text with @HIGH@ replaced by the number of the tag's highest bit. If there is no tag, it returns
// "".
func (d *design) ofTag(text string) string {
	if d.tag == 0 {
		return ""
	}
	return strings.ReplaceAll(text, "@HIGH@", fmt.Sprint(d.tag-1))
}
