package interchange

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

	"ialgn/internal/interchange/given"
	"ialgn/internal/interchange/torchfile/torchtest"
	"ialgn/internal/message"
)

const (
	blifText  = ".model m\n.inputs a b c d\n.outputs x y\n.names a b x\n11 1\n.names c d y\n00 0\n.end\n"
	aigerText = "aag 2 2 0 2 0\n2\n4\n2\n5\n"
)

// zipped returns text in gzip format.
func zipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// source returns a file with facts for two classes.
func source(name, text string) *given.Source {
	k, tau := 2, 1.0
	return &given.Source{
		Name: name, File: strings.NewReader(text), Size: int64(len(text)),
		Facts: &given.Facts{InDim: 4, Thermometer: given.Thermometer{None: true}, Sum: given.GroupSum{K: &k, Tau: &tau}},
	}
}

// TestRecognised checks that the format of a file is recognised by its contents.
func TestRecognised(t *testing.T) {
	comments := strings.Repeat("# a comment of a program\n", 4000)
	state := string(torchtest.Archive(t, torchtest.Dict{"0.luts", luts, "0.mapping", mapping}))
	for _, test := range []struct{ name, text, want string }{
		{"BLIF", blifText, "blif"},
		{"BLIF behind 100 kB of comments", comments + blifText, "blif"},
		{"BLIF behind one long comment", "#" + strings.Repeat("x", 1<<17) + "\n" + blifText, "blif"},
		{"BLIF behind blank lines", strings.Repeat(" \r\n", 1<<15) + blifText, "blif"},
		{"BLIF behind comments with carriage returns", strings.ReplaceAll(comments+blifText, "\n", "\r\n"), "blif"},
		{"BLIF behind comments that are indented", strings.ReplaceAll(comments, "#", "\t #") + blifText, "blif"},
		{"BLIF without a model", strings.TrimPrefix(blifText, ".model m\n"), "blif"},
		{"BLIF behind a byte order mark", "\ufeff# made by hand\r\n" + blifText, "blif"},
		{"BLIF gzipped behind a byte order mark", zipped(t, "\ufeff"+blifText), "blif"},
		{"BLIF that begins with .search", ".search x.blif\n", ""},
		{"BLIF gzipped", zipped(t, blifText), "blif"},
		{"BLIF gzipped behind comments", zipped(t, comments+blifText), "blif"},
		{"BLIF gzipped in two parts", zipped(t, blifText[:40]) + zipped(t, blifText[40:]), "blif"},
		{"AIGER gzipped", zipped(t, strings.ReplaceAll(aigerText, "2 2 0 2 0\n2\n4\n", "4 4 0 2 0\n2\n4\n6\n8\n")), "aiger"},
		{"a state dict gzipped", zipped(t, state), "dwn"},
	} {
		t.Run(test.name, func(t *testing.T) {
			n, err := Read(source("x", test.text), "")
			switch {
			case test.want == "":
				if err == nil || !strings.HasPrefix(err.Error(), "blif: ") {
					t.Errorf("error %v, want one from the BLIF reader", err)
				}
			case err != nil || n.Format != test.want:
				t.Errorf("%v, error %v, want %s", n, err, test.want)
			}
		})
	}
}

// TestGzipRefused checks that gzip files are refused if they are damaged, too large, or of an unknown format.
func TestGzipRefused(t *testing.T) {
	whole := zipped(t, blifText)
	for _, test := range []struct{ name, text, want, hint string }{
		{"cut off", whole[:len(whole)-9], "gzip: unexpected EOF", ""},
		{"damaged", whole[:20] + "\xff\xff\xff" + whole[23:], "gzip: ", ""},
		{"only a head", "\x1f\x8b", "gzip: ", ""},
		{"large", zipped(t, strings.Repeat("\n", 32<<20)), "unpacks to more than", "gunzip x.gz"},
		{"a table", zipped(t, "a,b\n1,2\n"), "is a table, which import cannot read", "ialgn init x"},
		{"nothing", zipped(t, ""), "the file is empty", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Read(source("x.gz", test.text), "")
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(message.Hint(err), test.hint) {
				t.Errorf("error %v, hint %s", err, message.Hint(err))
			}
		})
	}
}
