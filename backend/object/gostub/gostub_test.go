package gostub

import (
	"debug/elf"
	"go/format"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/backend/object"
	"ialgn/backend/object/dispatch"
	"ialgn/backend/object/objecttest"
	"ialgn/internal/tooltest"
)

// options are those of the classifier of package objecttest, for which 256 bytes of stack and its return address are
// to be had.
var options = Options{
	Package: "net", Module: "mod", Machines: []Machine{{Name: "amd64"}, {Name: "arm64"}}, Header: []string{"of a\ttest"}, Scratch: 8,
	ScratchAlign: 64, Stack: 264, Piece: 512,
}

// emit writes a module with a program and a package that has stubs for the given machines.
func emit(t *testing.T, machines ...Machine) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "net"), 0o755); err != nil {
		t.Fatal(err)
	}
	opt := options
	opt.Machines = machines
	files, err := Files(opt)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		objecttest.Write(t, dir, filepath.Join("net", f.Name), []byte(f.Text))
	}
	for name, from := range map[string]string{"main.go": "main.go.txt", "net/mod_net.go": "network.go.txt"} {
		text, err := os.ReadFile(filepath.Join("testdata", from))
		if err != nil {
			t.Fatal(err)
		}
		objecttest.Write(t, dir, name, text)
	}
	objecttest.Write(t, dir, "go.mod", []byte("module user\n\ngo 1.25\n"))
	return dir
}

// addObject writes an object file of the package.
func addObject(t *testing.T, dir, machine string, f *object.File) {
	t.Helper()
	if err := Check(f); err != nil {
		t.Error(err)
	}
	objecttest.Write(t, dir, filepath.Join("net", ObjectName("mod", machine)), objecttest.Bytes(t, f))
}

// whole returns an object file that is one function, whose classes have the mark 700.
func whole(machine elf.Machine) *object.File {
	return object.Functions(machine, object.Function{Name: "mod_classify", Code: objecttest.Classifier(machine, 700)})
}

// goCommand runs the go command without a compiler of C, unless told otherwise, and returns what it printed.
func goCommand(t *testing.T, dir string, environment []string, args ...string) string {
	t.Helper()
	env := append([]string{"env", "CGO_ENABLED=0", "GOFLAGS=-mod=mod", "GOWORK=off"}, environment...)
	out, err := tooltest.TryOther(t, dir, append(append(env, "go"), args...)...)
	if err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// want runs a program, which must end well and print the mark of the code that ran.
func want(t *testing.T, mark string, args ...string) {
	t.Helper()
	out, err := tooltest.TryOther(t, "", args...)
	out, _, _ = strings.Cut(out, "qemu-x86_64: warning:")
	if out != "mark "+mark+"\n" || err != nil {
		t.Errorf("%v: %v, printed %q, want mark %s", args, err, out, mark)
	}
}

// TestCall builds with Go's own linker, and with that of the system, and has the program call machine code.
func TestCall(t *testing.T) {
	objecttest.OnAMD64(t)
	dir := emit(t, options.Machines...)
	addObject(t, dir, "amd64", whole(elf.EM_X86_64))
	if out := goCommand(t, dir, nil, "vet", "./..."); out != "" {
		t.Errorf("go vet: %s", out)
	}
	program := filepath.Join(dir, "user")
	ways := map[string][]string{
		"own":      {"build", "-o", program},
		"external": {"build", "-o", program, "-ldflags=-linkmode=external -extldflags=-Wl,--fatal-warnings"},
		"position": {"build", "-o", program, "-buildmode=pie"},
	}
	if !tooltest.Whole() {
		delete(ways, "position") // builds the standard library anew
	}
	for name, args := range ways {
		t.Run(name, func(t *testing.T) {
			var environment []string
			if name == "external" {
				tooltest.TryOther(t, dir, "gcc", "--version") // skips
				environment = []string{"CGO_ENABLED=1"}
			}
			if out := goCommand(t, dir, environment, args...); out != "" {
				t.Errorf("go build: %s", out)
			}
			want(t, "700", program)
			want(t, "700", "env", "GOGC=1", "GODEBUG=gccheckmark=1", program)
		})
	}
}

// dispatcher chooses between two variants.
var dispatcher = dispatch.Dispatcher{
	Module: "mod", Variants: []dispatch.Variant{
		{Name: "avx2", Needs: dispatch.AVX2}, {Name: "avx512", Needs: dispatch.AVX512F},
	},
	Functions: []dispatch.Function{{Name: "classify"}},
}

// TestVariants has the assembly function choose by the processor. The classes of the variants have the marks 700 and
// 800.
func TestVariants(t *testing.T) {
	objecttest.OnAMD64(t)
	level, err := dispatcher.Level()
	if err != nil {
		t.Fatal(err)
	}
	functions := []object.Function{level}
	for i, v := range dispatcher.Variants {
		functions = append(functions, object.Function{
			Name: dispatch.Symbol("mod", v.Name, "classify"), Code: objecttest.Classifier(elf.EM_X86_64, uint16(700+100*i)),
		})
	}
	dir := emit(t, Machine{"amd64", []string{"avx2", "avx512"}})
	addObject(t, dir, "amd64", object.Functions(elf.EM_X86_64, functions...))
	if out := goCommand(t, dir, nil, "vet", "./..."); out != "" {
		t.Errorf("go vet: %s", out)
	}
	program := filepath.Join(dir, "user")
	goCommand(t, dir, nil, "build", "-o", program)
	if cpu, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		switch flags := string(cpu); {
		case strings.Contains(flags, " avx512f "):
			want(t, "800", program)
		case strings.Contains(flags, " avx2 "):
			want(t, "700", program)
		default:
			want(t, "5000", program)
		}
	}
	want(t, "5000", "qemu-x86_64", "-cpu", "Nehalem", program)
	want(t, "700", "qemu-x86_64", "-cpu", "Haswell", program)
}

// TestCheck refuses the dispatcher that C programs have, which needs the linker.
func TestCheck(t *testing.T) {
	f, err := dispatcher.Object()
	if err != nil {
		t.Fatal(err)
	}
	if err := Check(f); err == nil || !strings.HasPrefix(err.Error(), "go stub: the object file has relocations, such as") {
		t.Errorf("relocations: %v", err)
	}
	f.Relocations = nil
	if err := Check(f); err == nil || !strings.HasPrefix(err.Error(), "go stub: the object file does not define mod_avx2_") {
		t.Errorf("undefined symbols: %v", err)
	}
}

// TestARM64 has the code for AArch64 run in qemu, and the code in Go where there is no object file for the machine.
func TestARM64(t *testing.T) {
	tooltest.Long(t, "builds the standard library for another machine")
	environment := []string{"GOOS=linux", "GOARCH=arm64"}
	for mark, machine := range map[string]Machine{"700": {Name: "arm64"}, "5000": {Name: "amd64"}} {
		dir := emit(t, machine)
		addObject(t, dir, "arm64", whole(elf.EM_AARCH64))
		program := filepath.Join(dir, "user")
		goCommand(t, dir, environment, "build", "-o", program)
		goCommand(t, dir, environment, "vet", "./net")
		want(t, mark, "qemu-aarch64", program)
	}
}

// TestFiles has Go's formatter look at the files, and the go command choose among them.
func TestFiles(t *testing.T) {
	files, err := Files(options)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !strings.HasPrefix(f.Text, "// Code generated by ialgn. DO NOT EDIT.\n//\n// of a?test\n\n") {
			t.Errorf("%s begins otherwise:\n%s", f.Name, f.Text)
		}
		if !strings.HasSuffix(f.Name, ".go") {
			continue
		}
		want, err := format.Source([]byte(f.Text))
		if diff := cmp.Diff(string(want), f.Text); diff != "" || err != nil {
			t.Errorf("%s: %v (-formatted +written)\n%s", f.Name, err, diff)
		}
	}
	dir := emit(t, options.Machines...)
	addObject(t, dir, "amd64", whole(elf.EM_X86_64))
	for machine, want := range map[string]string{
		"linux/amd64":  "[mod_linux_amd64.go mod_native.go mod_net.go] [mod_linux_amd64.s] [mod_linux_amd64.syso]\n",
		"linux/arm64":  "[mod_linux_arm64.go mod_native.go mod_net.go] [mod_linux_arm64.s] []\n",
		"linux/386":    "[mod_native.go mod_native_other.go mod_net.go] [] []\n",
		"darwin/arm64": "[mod_native.go mod_native_other.go mod_net.go] [] []\n",
	} {
		system, arch, _ := strings.Cut(machine, "/")
		got := goCommand(t, dir, []string{"GOOS=" + system, "GOARCH=" + arch}, "list", "-f",
			"{{.GoFiles}} {{.SFiles}} {{.SysoFiles}}", "./net")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("files for %s (-want +got):\n%s", machine, diff)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, tt := range []struct {
		name string
		bend func(o *Options)
		want string
	}{
		{"package", func(o *Options) { o.Package = "func" }, `go stub: "func" is no name in Go and C`},
		{"module", func(o *Options) { o.Module = "a-b" }, `go stub: "a-b" is no name in Go and C`},
		{"no machine", func(o *Options) { o.Machines = nil }, "go stub: there is no machine with an object file"},
		{"twice", func(o *Options) { o.Machines[0].Name = "arm64" }, `go stub: machine "arm64" stands twice`},
		{"unknown", func(o *Options) { o.Machines[0].Name = "riscv64" }, `go stub: machine "riscv64" stands twice or is not`},
		{"variants", func(o *Options) { o.Machines[1].Variants = []string{"sve"} }, "go stub: there is nothing to choose by"},
		{
			"variant twice", func(o *Options) { o.Machines[0].Variants = []string{"a", "a"} },
			`go stub: variant "a" stands twice`,
		},
		{"label", func(o *Options) { o.Machines[0].Variants = []string{"done"} }, `go stub: variant "done" stands twice or is`},
		{"scratch", func(o *Options) { o.Scratch = 0 }, "go stub: scratch memory of 0 bytes"},
		{"alignment", func(o *Options) { o.ScratchAlign = 48 }, "go stub: scratch memory at multiples of 48 bytes"},
		{"large alignment", func(o *Options) { o.ScratchAlign = 8192 }, "go stub: scratch memory at multiples of 8192 bytes"},
		{"stack", func(o *Options) { o.Stack = 1 << 20 }, "go stub: 1048576 bytes of stack, give 16 to 16384"},
		{"piece", func(o *Options) { o.Piece = 0 }, "go stub: pieces of 0 samples"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			opt := options
			opt.Machines = slices.Clone(options.Machines)
			tt.bend(&opt)
			if _, err := Files(opt); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got %v, want an error that begins %q", err, tt.want)
			}
		})
	}
}
