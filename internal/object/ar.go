// This file writes archives of object files in the format of System V and GNU. Linkers on Linux
// search an archive for the files that define missing symbols of a program.
//
// An archive begins with an index of symbols (the member "/"). The index tells the linker which member defines a
// symbol. Then comes a table of the names longer than 15 bytes (the member "//"). Dates and owners are zero, so that
// the same members give the same bytes. The command ar rcsD of GNU writes the same.

package object

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
)

// Member is a file of an archive.
type Member struct {
	Name    string // without a folder
	Data    []byte
	Symbols []string // symbols that the member defines for other files, see [File.Defined]
}

const (
	magic      = "!<arch>\n"
	headerSize = 60
	shortName  = 15 // longest name in bytes that fits in a header, not counting the / at its end
	filler     = '\n'
)

// Bytes returns an archive of the members, in their order. If several members define the same symbol, the linker
// takes the first of these members. Bytes returns an error if a name is empty, occurs twice, or has a / or an
// unprintable character. It also returns an error if the archive is too large for the 32-bit offsets of its index.
func Bytes(members []Member) ([]byte, error) {
	if err := check(members); err != nil {
		return nil, err
	}
	names, table := nameFields(members)
	places, end := layout(members, indexSize(members), len(table))
	if end > math.MaxUint32 {
		return nil, fmt.Errorf("archive: its %d bytes are more than its index can address, write several of less than 4 GiB",
			end)
	}
	b := bytes.NewBufferString(magic)
	writeMember(b, "/", attributes{"0", "0"}, index(members, places))
	if len(table) > 0 {
		writeMember(b, "//", attributes{}, table)
	}
	for i, m := range members {
		writeMember(b, names[i], attributes{"0", "644"}, m.Data)
	}
	return b.Bytes(), nil
}

func check(members []Member) error {
	seen := map[string]bool{}
	for _, m := range members {
		bad := strings.ContainsFunc(m.Name, func(r rune) bool { return r < ' ' || r > '~' || r == '/' })
		switch {
		case m.Name == "" || bad:
			return fmt.Errorf("archive: member %q: this is no name of a file, use ASCII that prints, without /", m.Name)
		case seen[m.Name]:
			return fmt.Errorf(
				"archive: member %q: the name occurs twice, and one file would be lost when the archive is unpacked: "+
					"give each its own", m.Name)
		}
		seen[m.Name] = true
	}
	return nil
}

// nameFields returns the name fields of the members' headers, and the table of long names.
func nameFields(members []Member) (fields []string, table []byte) {
	for _, m := range members {
		if len(m.Name) <= shortName {
			fields = append(fields, m.Name+"/")
			continue
		}
		fields = append(fields, fmt.Sprintf("/%d", len(table)))
		table = append(table, m.Name+"/\n"...)
	}
	if len(table)&1 != 0 {
		table = append(table, filler)
	}
	return fields, table
}

// indexSize returns the size of the index of symbols. The index holds the number of symbols. For each symbol, it
// holds an offset and a name.
func indexSize(members []Member) int {
	size := 4
	for _, m := range members {
		for _, s := range m.Symbols {
			size += 4 + len(s) + 1
		}
	}
	return even(size)
}

// layout returns the offsets of the members' headers in the archive, and the archive's size.
func layout(members []Member, index, table int) (places []int, end int) {
	at := len(magic) + headerSize + index
	if table > 0 {
		at += headerSize + table
	}
	for _, m := range members {
		places = append(places, at)
		at += headerSize + even(len(m.Data))
	}
	return places, at
}

func even(n int) int { return n + n&1 }

// index returns the index of symbols, which is big-endian on every machine.
func index(members []Member, places []int) []byte {
	var offsets, names []byte
	for i, m := range members {
		for _, s := range m.Symbols {
			offsets = binary.BigEndian.AppendUint32(offsets, uint32(places[i]))
			names = append(append(names, s...), 0)
		}
	}
	b := binary.BigEndian.AppendUint32(nil, uint32(len(offsets)/4))
	b = append(append(b, offsets...), names...)
	return append(b, make([]byte, len(b)&1)...)
}

// writeMember writes a header, the data, and padding to an even length. The table of names has no
// attributes.
func writeMember(b *bytes.Buffer, name string, a attributes, data []byte) {
	fmt.Fprintf(b, "%-16s%-12s%-6s%-6s%-8s%-10d`\n", name, a.zero, a.zero, a.zero, a.mode, len(data))
	b.Write(data)
	if len(data)&1 != 0 {
		b.WriteByte(filler)
	}
}

// attributes holds the attributes of a member. The field zero is the text of date, owner and group, which is "0" or
// empty. The field mode is the file mode.
type attributes struct{ zero, mode string }
