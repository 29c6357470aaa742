package object

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/testkit"
)

// assembled writes object files with the system's assembler and returns them as members, with the symbols that the
// sources define.
func assembled(t *testing.T, dir string, sources map[string]string, order ...string) []Member {
	t.Helper()
	var members []Member
	for _, name := range order {
		source := filepath.Join(dir, "source.s")
		if err := os.WriteFile(source, []byte(sources[name]), 0o644); err != nil {
			t.Fatal(err)
		}
		if out, err := testkit.TryOtherTool(t, dir, "as", "-o", name, source); err != nil {
			t.Fatal(out)
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		m := Member{Name: name, Data: data}
		for _, line := range strings.Split(sources[name], "\n") {
			if symbol, ok := strings.CutPrefix(line, ".globl "); ok {
				m.Symbols = append(m.Symbols, symbol)
			}
		}
		members = append(members, m)
	}
	return members
}

// TestSameAsAr compares archives with the archives that GNU ar makes of the same files.
func TestSameAsAr(t *testing.T) {
	sources := map[string]string{
		"a.o":                             ".globl alpha\nalpha:\n ret\n.globl beta\nbeta:\n ret",
		"b.o":                             ".globl gamma\ngamma:\n ret",
		"fifteen_bytes.o":                 ".globl delta\ndelta:\n ret",
		"sixteen__bytes.o":                ".globl x\nx:\n ret\n.ascii \"odd\"",
		"a_much_longer_name_than_that.o":  ".globl mnist_classify\nmnist_classify:\n ret",
		"nothing_to_offer_to_anybody_1.o": "ret",
	}
	for _, order := range [][]string{
		{"a.o"},
		{"b.o", "a.o", "fifteen_bytes.o"},
		{"sixteen__bytes.o"},
		{"a.o", "sixteen__bytes.o", "b.o", "a_much_longer_name_than_that.o", "nothing_to_offer_to_anybody_1.o"},
	} {
		t.Run(strings.Join(order, " "), func(t *testing.T) {
			dir := t.TempDir()
			got, err := Bytes(assembled(t, dir, sources, order...))
			if err != nil {
				t.Fatal(err)
			}
			if out, err := testkit.TryOtherTool(t, dir, append([]string{"ar", "rcsD", "want.a"}, order...)...); err != nil {
				t.Fatal(out)
			}
			want, err := os.ReadFile(filepath.Join(dir, "want.a"))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%d bytes differ from the %d of ar:\n%q\n%q", len(got), len(want), got, want)
			}
		})
	}
}

// TestOddMembers checks that ar can read an archive whose members have odd lengths and long names. The members need
// not be object files.
func TestOddMembers(t *testing.T) {
	members := []Member{
		{Name: "one", Data: []byte("1")},
		{Name: "a name of many letters.txt", Data: []byte("three")},
		{Name: "empty"},
		{Name: "two", Data: []byte("22")},
	}
	b, err := Bytes(members)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x.a"), b, 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := testkit.TryOtherTool(t, dir, "ar", "t", "x.a")
	if diff := cmp.Diff("one\na name of many letters.txt\nempty\ntwo\n", out); diff != "" || err != nil {
		t.Errorf("%v, members (-want +got):\n%s", err, diff)
	}
	for _, m := range members {
		if out, err := testkit.TryOtherTool(t, dir, "ar", "p", "x.a", m.Name); out != string(m.Data) || err != nil {
			t.Errorf("%s holds %q, %v, want %q", m.Name, out, err, m.Data)
		}
	}
}

func TestWriteRefusesBrokenMembers(t *testing.T) {
	gigabyte := make([]byte, 1<<30) // never written, so it takes no physical memory
	for _, tt := range []struct {
		name    string
		members []Member
		want    string
	}{
		{"no name", []Member{{}}, `archive: member "": this is no name of a file`},
		{"folder", []Member{{Name: "a/b.o"}}, `archive: member "a/b.o": this is no name of a file`},
		{"line", []Member{{Name: "a\nb"}}, `archive: member "a\nb": this is no name of a file`},
		{"twice", []Member{{Name: "a"}, {Name: "b"}, {Name: "a"}}, `archive: member "a": the name occurs twice`},
		{
			"too large",
			[]Member{{"a", gigabyte, nil}, {"b", gigabyte, nil}, {"c", gigabyte, nil}, {"d", gigabyte, nil}},
			"archive: its 4294967608 bytes are more than its index can address",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := Bytes(tt.members); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got %v, want an error that begins %q", err, tt.want)
			}
		})
	}
}
