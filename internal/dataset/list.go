package dataset

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"ialgn/internal/config"
	"ialgn/internal/message"
)

// Info describes a set that [Open] knows.
type Info struct {
	Name    string   `json:"name"`
	Title   string   `json:"title"`
	Folders []string `json:"folders,omitempty"` // subfolders that are searched before the folder that contains them
	Files   []string `json:"files,omitempty"`   // each may end in .gz
	Get     string   `json:"get"`               // how to get the set
}

// List describes all sets. The embedded set comes first.
func List() []Info {
	infos := []Info{{
		Name: "digits", Title: "Optical Recognition of Handwritten Digits (UCI), 8 x 8 pixels, 3,823 + 1,797",
		Get: "nothing to do: the data set is part of the program",
	}}
	for _, k := range kinds {
		info := Info{Name: k.name, Title: k.title + ", " + inParts(k.samples), Folders: k.folders, Get: k.get}
		for _, names := range k.files {
			info.Files = append(info.Files, names[0])
		}
		infos = append(infos, info)
	}
	for _, k := range sequences {
		infos = append(infos, Info{Name: k.name, Title: k.title, Get: "nothing to do: the program generates the data set"})
	}
	return append(infos, Info{
		Name: "csv", Title: "any CSV file of numbers, words and a label",
		Get: "name your files with data.train and data.test in the configuration",
	}, Info{
		Name: "arrays", Title: "arrays of features and of labels: .npy, .npz or IDX",
		Get: "name your files with data.train, data.train_labels and so on in the configuration",
	})
}

// Own reports whether a set consists of the user's own files, whose names are in the configuration.
func Own(name string) bool { return name == "csv" || name == "arrays" }

// Status is the result of [Check] for a set.
type Status struct {
	Name  string       `json:"name"`
	Found bool         `json:"found"`
	Path  string       `json:"path,omitempty"`
	Parts []PartStatus `json:"parts,omitempty"`
	Known bool         `json:"known"` // the program knows the content of both parts
	Note  string       `json:"note"`  // description of the content; for a missing set, how to get it

	missing *MissingError // nil if the set was found
}

// NoteIn returns the note. The argument words determines how the note names options.
func (s Status) NoteIn(words message.Words) string {
	if s.missing == nil {
		return s.Note
	}
	return s.missing.Reason + "; " + s.missing.HintIn(words)
}

// PartStatus describes the content of one part.
type PartStatus struct {
	Part    string `json:"part"`
	Samples int    `json:"samples"`
	SHA256  string `json:"sha256"` // digest of the decoded content; see [Set.Digest]
}

// Check looks for a set in the folders, reads all of it, and compares its content with the known contents. If the set
// is not found, Check returns no error, and the Note of the result says where it was searched for. An unknown content
// is not an error either. An unknown name or a damaged file is an error.
func Check(ctx context.Context, name string, folders []string) (Status, error) {
	s, st, err := look(ctx, name, folders)
	if s == nil {
		return st, err
	}
	classes := make([][2]int, len(s.Classes))
	for _, part := range []Part{Train, Test} {
		if err := s.Read(ctx, part, func(_ []uint16, label int) error { classes[label][part]++; return nil }); err != nil {
			return st, err
		}
		st.Parts = append(st.Parts, PartStatus{part.String(), s.Samples(part), s.Digest(part)})
	}
	st.Known, st.Note = recognise(name, s.Digest(Train), s.Digest(Test))
	if k, ok := findKind(name); ok && st.Note == "" {
		if st.Known, st.Note, err = k.original(s, classes); err != nil {
			return st, err
		}
	}
	st.Note = cmp.Or(st.Note, unknownContent)
	return st, nil
}

// unknownContent is the note for a content that the program does not know.
const unknownContent = "the content is unknown; it may be another version of the data set"

// Look is like [Check], but does not read the set. It only reports where the set is.
func Look(ctx context.Context, name string, folders []string) (Status, error) {
	_, st, err := look(ctx, name, folders)
	return st, err
}

// look opens a set and fills in the part of the status that is known before the set is read. The set is nil if it was
// not found.
func look(ctx context.Context, name string, folders []string) (*Set, Status, error) {
	st := Status{Name: name}
	if Own(name) {
		st.Note = "has no fixed files; name your files in a configuration"
		return nil, st, nil
	}
	s, err := Open(ctx, config.Data{Set: name}, 8, folders)
	var missing *MissingError
	if errors.As(err, &missing) {
		st.missing = missing
		st.Note = st.NoteIn(message.Fields)
		return nil, st, nil
	}
	if err != nil {
		return nil, st, err
	}
	st.Found, st.Path = true, s.Path
	return s, st, nil
}

// namedContent is a known content of a named set.
type namedContent struct {
	set string
	content
}

// contents lists all known contents.
func contents() []namedContent {
	all := []namedContent{{"digits", digitsContent}}
	for _, k := range sequences {
		all = append(all, namedContent{k.name, k.known})
	}
	for _, k := range kinds {
		for _, c := range k.known {
			all = append(all, namedContent{k.name, c})
		}
	}
	return all
}

// recognise compares the content of a set with the contents of all sets, because MNIST-like sets are easily confused.
// For an unknown content, the note is "".
func recognise(name, train, test string) (known bool, note string) {
	for _, c := range contents() {
		if c.train != train || c.test != test {
			continue
		}
		if c.set != name {
			return false, fmt.Sprintf("this is %s, not %s", c.note, name)
		}
		return true, c.note
	}
	return false, ""
}
