package backend

import (
	"io"
	"slices"

	"ialgn/internal/inputs"
	"ialgn/internal/wrapper"
)

// These are the formats of the files about a design's inputs.
const (
	InputsFormat = "inputs"
	HostFormat   = "host"
)

// InputsName returns the name of the file that describes how the inputs of a module are computed. For a module NAME,
// the file is NAME.json. Some names are taken in every folder, for example report.json. If NAME.json is one of these
// names, the file is NAME_inputs.json.
func InputsName(module string) string {
	if name := module + ".json"; !slices.Contains([]string{manifestName, reportName, certificateName}, name) {
		return name
	}
	return module + "_inputs.json"
}

// inputFiles returns the formats of the files about the inputs. The first file says how the inputs are computed. The
// others contain the program for the host, which sends samples to the wrapper.
func inputFiles(p Product) ([]format, error) {
	if p.Inputs == nil {
		return nil, nil
	}
	protocol, host, err := p.otherEnd()
	if err != nil {
		return nil, err
	}
	list := []format{{
		InputsFormat, "", InputsName(p.Manifest.Module)[len(p.Manifest.Module):], always,
		func(w io.Writer, p Product) error { return inputs.WriteJSON(w, p.Inputs, protocol) },
	}}
	if host == nil {
		return list, nil
	}
	return append(list, format{HostFormat, "", host.Suffix, always, func(w io.Writer, p Product) error {
		return host.Write(w, wrapper.Hosted{
			Inputs: p.Inputs, Protocol: protocol, File: p.Manifest.Module + host.Suffix, Header: p.Header,
		})
	}}), nil
}

// otherEnd returns the protocol between the wrapper and its host, and the host's program. Both are nil if there is no
// wrapper or if the wrapper has no protocol.
func (p Product) otherEnd() (protocol *wrapper.Protocol, host *wrapper.Host, err error) {
	if p.Wrap == "" {
		return nil, nil, nil
	}
	kind, err := wrapper.Find(p.Wrap)
	if err != nil {
		return nil, nil, err
	}
	protocol, err = wrapper.NewProtocol(p.Wrap, p.Netlist, wrapperOptions(p))
	if err != nil || protocol == nil {
		return nil, nil, err
	}
	return protocol, kind.Host, nil
}
