// Package doctor examines the environment of the program: external programs, data sets, processor and memory.
//
// [Examine] only reports. Everything that it looks for is optional. The [Report] says what cannot be done if
// something is missing.
package doctor

import (
	"context"
	"errors"
	"runtime"

	"ialgn/internal/build"
	"ialgn/internal/crew"
	"ialgn/internal/dataset"
	"ialgn/internal/kernel"
	"ialgn/internal/memory"
	"ialgn/internal/message"
	"ialgn/internal/outfile"
	"ialgn/internal/tool"
)

// Report is the result of an examination.
type Report struct {
	Build  Build  `json:"build"`
	Cores  Cores  `json:"cores"`
	Memory Memory `json:"memory"`
	SIMD   SIMD   `json:"simd"`
	Data   Data   `json:"data"`
	Tools  []Tool `json:"tools"`
	// Lacks lists the features that other systems have and this system lacks, with one line for each feature.
	Lacks []string `json:"lacks"`
}

// Build describes how the program was built.
type Build struct {
	Commit string `json:"commit,omitempty"` // see [build.Commit]
	Go     string `json:"go"`
	OS     string `json:"os"`
	Arch   string `json:"arch"`
}

// Cores holds the number of cores that the process may use, and the number of cores that it uses.
type Cores struct {
	Machine int `json:"machine"`
	Used    int `json:"used"`
}

// Memory is the amount of memory that the process may use, and the source of that limit. The fields are zero if the
// system does not report them.
type Memory struct {
	Bytes     uint64 `json:"bytes"`
	By        string `json:"by,omitempty"`
	Available uint64 `json:"available_bytes"` // free at the moment
}

// SIMD describes the vector code that is used for training.
type SIMD struct {
	Path  string   `json:"path"`  // the code in use
	Paths []string `json:"paths"` // all vector code that the processor supports, fastest first
	Error string   `json:"error,omitempty"`
}

// Data lists the data sets and the folders in which they are looked for.
type Data struct {
	Folders []string `json:"folders"`
	Sets    []Set    `json:"sets"`
}

// Set is a data set.
type Set struct {
	Name  string `json:"name"`
	Found bool   `json:"found"`
	Path  string `json:"path,omitempty"`
	Note  string `json:"note,omitempty"` // why the set was not found, and how to get it
}

// Tool is an external program.
type Tool struct {
	Name    string `json:"name"`
	Use     string `json:"use"` // what the program is needed for
	Found   bool   `json:"found"`
	Path    string `json:"path,omitempty"`
	Version string `json:"version,omitempty"`
	Package string `json:"package,omitempty"` // Debian package, or "" if no package contains the program
	Remedy  string `json:"remedy,omitempty"`  // how to install it, if it is missing
}

// Examine examines everything. The argument words says how the texts of the report name options.
func Examine(ctx context.Context, folders []string, words message.Words) *Report {
	r := &Report{
		Build:  Build{build.Commit(), runtime.Version(), runtime.GOOS, runtime.GOARCH},
		Cores:  Cores{runtime.NumCPU(), runtime.GOMAXPROCS(0)},
		Memory: limits(), SIMD: simd(), Data: Data{Folders: folders}, Lacks: lacks(),
	}
	for _, info := range dataset.List() {
		r.Data.Sets = append(r.Data.Sets, set(ctx, info.Name, folders, words))
	}
	names := tool.Names()
	r.Tools = make([]Tool, len(names))
	crew.Each(len(names), func(i int) { r.Tools[i] = program(ctx, names[i]) })
	return r
}

func limits() Memory {
	total := memory.Total()
	if total.Bytes == 0 {
		return Memory{}
	}
	return Memory{total.Bytes, total.By, memory.Available()}
}

func simd() SIMD {
	path, err := kernel.Path()
	s := SIMD{Path: path, Paths: kernel.Paths()}
	if err != nil {
		s.Error = err.Error()
	}
	return s
}

// set looks for a data set. It reads at most the headers of its files.
func set(ctx context.Context, name string, folders []string, words message.Words) Set {
	st, err := dataset.Look(ctx, name, folders)
	s := Set{Name: name, Found: st.Found, Path: st.Path}
	switch {
	case err != nil:
		s.Note = err.Error()
	case !st.Found:
		s.Note = st.NoteIn(words)
	}
	return s
}

func program(ctx context.Context, name string) Tool {
	t, err := tool.Find(name)
	if missing := (*tool.MissingError)(nil); errors.As(err, &missing) {
		return Tool{Name: name, Use: tool.Use(name), Package: missing.Package, Remedy: missing.Hint()}
	}
	return Tool{
		Name: name, Use: tool.Use(name), Found: true, Path: t.Path, Version: t.Version(ctx), Package: t.Package,
	}
}

// lacks returns the features that other systems have and this system lacks.
func lacks() []string {
	all := []string{}
	if outfile.LockLacks != "" {
		all = append(all, "locks of "+outfile.LockLacks+": nothing keeps two commands from writing to one at a time")
	}
	if !tool.Bounded {
		all = append(all, "a bound on the memory of external programs, and their end with this process")
	}
	if memory.Total().Bytes == 0 {
		all = append(all, "a word on how much memory there is: a network that needs more is not refused beforehand")
	}
	return all
}
