package main

import (
	"bytes"
	"cmp"
	"context"
	"debug/buildinfo"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// module is a part that is linked into the program. It is a Go module or the standard library.
type module struct {
	path, version string
	sum           string // checksum as in go.sum; empty for the standard library
	dir           string // folder of the module's source
}

// standard is the path that this program uses for the standard library. own is the path of ialgn's module.
const standard, own = "std", "ialgn"

// linked returns the modules linked into a program, except ialgn itself. It returns an error if the list of modules
// in the program differs from the modules whose source is available.
func linked(ctx context.Context, env []string, program string) ([]module, error) {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return nil, err
	}
	all, err := imported(ctx, env)
	if err != nil {
		return nil, err
	}
	for _, d := range info.Deps {
		i := slices.IndexFunc(all, func(m module) bool { return m.path == d.Path && m.version == d.Version })
		if i < 0 || d.Replace != nil {
			return nil, fmt.Errorf("%s@%s is in the program, and in no package that it is said to be made of", d.Path, d.Version)
		}
		all[i].sum = d.Sum
	}
	for _, m := range all {
		if m.sum == "" && m.path != standard {
			return nil, fmt.Errorf("%s@%s is said to be part of the program, and is not in it", m.path, m.version)
		}
	}
	return all, nil
}

// imported returns the modules of the packages in the program, sorted by path, with the standard library first.
func imported(ctx context.Context, env []string) ([]module, error) {
	const form = "{{with .Module}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}"
	out, err := output(ctx, env, "go", "list", "-deps", "-f", form, "./cmd/ialgn")
	if err != nil {
		return nil, err
	}
	root, err := output(ctx, nil, "go", "env", "GOROOT")
	if err != nil {
		return nil, err
	}
	all := []module{{path: standard, version: runtime.Version(), dir: strings.TrimSpace(root)}}
	for line := range strings.Lines(out) {
		parts := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(parts) != 3 || parts[0] == own ||
			slices.ContainsFunc(all, func(m module) bool { return m.path == parts[0] }) {
			continue
		}
		all = append(all, module{path: parts[0], version: parts[1], dir: parts[2]})
	}
	slices.SortFunc(all[1:], func(a, b module) int { return cmp.Compare(a.path, b.path) })
	return all, nil
}

// licenceFile matches the names of files that must be passed on with a module. It also matches folders of such files,
// which some modules have.
var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]es?|copying|notice|patents)([.-].*)?$`)

// licences returns the files that must be passed on with a module, sorted by name. It returns an error if there are
// no such files.
func (m module) licences() ([]file, error) {
	files, err := licencesIn(m.dir, "")
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("no file that looks like a licence")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.path, err)
	}
	return files, nil
}

func licencesIn(dir, within string) (files []file, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case within == "" && !licenceFile.MatchString(e.Name()):
		case e.IsDir() && within == "":
			below, err := licencesIn(path, e.Name()+"/")
			if err != nil {
				return nil, err
			}
			files = append(files, below...)
		case e.Type().IsRegular():
			data, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			files = append(files, file{name: within + e.Name(), data: data})
		}
	}
	return files, nil
}

// digits is the required notice for the data set digits, which is part of the program.
const digits = `The data set "digits", which is part of the program, is "Optical Recognition of Handwritten Digits" by
E. Alpaydin and C. Kaynak (1998), UCI Machine Learning Repository, which gives CC BY 4.0 as its licence. It is
unchanged.
`

// notices returns the licences of all modules in one text.
func notices(modules []module) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "What is linked into ialgn and made by others, with the licences that it comes with.\n\n%s", digits)
	for _, m := range modules {
		files, err := m.licences()
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			name := strings.TrimSpace(m.path + " " + m.version)
			fmt.Fprintf(&b, "\n%s\n%s: %s\n%[1]s\n\n%[4]s\n", strings.Repeat("=", 80), name, f.name, bytes.TrimSpace(f.data))
		}
	}
	return b.Bytes(), nil
}

// marks maps phrases in licences to the SPDX names of these licences. The most specific phrases come first.
var marks = []struct{ words, name string }{
	{"your choice of exactly one of the following two license", "FTL OR GPL-2.0-or-later"}, // freetype
	{"SIL OPEN FONT LICENSE", "OFL-1.1"},
	{"Creative Commons Attribution 4.0 International", "CC-BY-4.0"},
	{"Apache License Version 2.0", "Apache-2.0"},
	{"Neither the name", "BSD-3-Clause"},
	{"may not be used to endorse", "BSD-3-Clause"},
	{"Redistribution and use in source and binary forms", "BSD-2-Clause"},
	{"Permission is hereby granted, free of charge", "MIT"},
}

// unknown is SPDX's name for an unknown licence.
const unknown = "NOASSERTION"

// licence returns the licence of a module in SPDX form. If several files contain licences, all of them apply.
func (m module) licence() string {
	files, err := m.licences()
	if err != nil {
		return unknown
	}
	var names []string
	for _, f := range files {
		if name := nameOf(f.data); name != "" && !strings.Contains(f.name, "/") && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return cmp.Or(strings.Join(names, " AND "), unknown)
}

// nameOf returns the SPDX name for the text of a licence, or "" if it is not known.
func nameOf(text []byte) string {
	words := strings.Join(strings.Fields(string(text)), " ")
	for _, m := range marks {
		if strings.Contains(words, m.words) {
			return m.name
		}
	}
	return ""
}
