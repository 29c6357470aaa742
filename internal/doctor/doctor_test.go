package doctor_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/doctor"
	"ialgn/internal/message"
	"ialgn/internal/tool"
)

// TestExamine examines a machine that has only a damaged data set and one external program, which reports its
// version.
func TestExamine(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the program is a shell script")
	}
	bin, data := t.TempDir(), t.TempDir()
	t.Setenv("PATH", bin)
	script := "#!/bin/sh\necho 'Yosys 9.9 (made up)'\n"
	if err := os.WriteFile(filepath.Join(bin, "yosys"), []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{
		"train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte",
	} {
		path := filepath.Join(data, "mnist", name)
		_ = os.Mkdir(filepath.Dir(path), 0o777)
		if err := os.WriteFile(path, []byte("no images"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	r := doctor.Examine(t.Context(), []string{data}, message.Flags)

	tools := map[string]doctor.Tool{}
	for _, p := range r.Tools {
		tools[p.Name] = p
	}
	want := map[string]doctor.Tool{
		"yosys": {
			Name: "yosys", Use: tools["yosys"].Use, Found: true, Path: filepath.Join(bin, "yosys"),
			Version: "Yosys 9.9 (made up)", Package: "yosys",
		},
		"abc": {
			Name: "abc", Use: "proofs", Package: "berkeley-abc", Remedy: message.Hint(&tool.MissingError{Name: "abc", Package: "berkeley-abc"}),
		},
		"ecppack": {
			Name: "ecppack", Use: "bitstreams for ECP5", Remedy: "build ecppack from its source, and put it on the PATH",
		},
	}
	for name, w := range want {
		if diff := cmp.Diff(w, tools[name]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}

	sets := map[string]doctor.Set{}
	for _, s := range r.Data.Sets {
		sets[s.Name] = s
	}
	if s := sets["digits"]; !s.Found || s.Note != "" {
		t.Errorf("the digits, which are part of the program: %+v", s)
	}
	if s := sets["mnist"]; s.Found || !strings.Contains(s.Note, "train-images-idx3-ubyte") {
		t.Errorf("a damaged set: %+v", s)
	}
	if s := sets["cifar10"]; s.Found || !strings.Contains(s.Note, data) || !strings.Contains(s.Note, "--data") {
		t.Errorf("a missing set: %+v", s)
	}

	if !slices.Contains(r.SIMD.Paths, r.SIMD.Path) || r.SIMD.Error != "" {
		t.Errorf("%+v", r.SIMD)
	}
	if r.Cores.Machine < 1 || r.Cores.Used < 1 || r.Build.Go == "" || r.Build.OS != runtime.GOOS {
		t.Errorf("%+v, %+v", r.Cores, r.Build)
	}
	if runtime.GOOS == "linux" && (len(r.Lacks) != 0 || r.Memory.Bytes == 0 || r.Memory.By == "") {
		t.Errorf("Linux lacks %q; memory %+v", r.Lacks, r.Memory)
	}
}
