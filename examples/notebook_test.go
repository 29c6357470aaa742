package examples_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ialgn/internal/testkit"
)

// TestNotebook runs the cells of the notebook and compares the results with the results that are stored in the
// notebook.
func TestNotebook(t *testing.T) {
	testkit.Long(t, "walks a README")
	t.Parallel()
	needs(t, "python3")
	newWalk(t).readme("notebook/README.md")
}

// TestNotebookDiffers checks which differences the comparison finds, and which it ignores.
func TestNotebookDiffers(t *testing.T) {
	needs(t, "python3")
	for _, test := range []struct{ name, source, stored, want string }{
		{"equal", `print(1 + 1)`, `2\n`, ""},
		{"another time", `print('2.5 s')`, `0.1 s\n`, ""},
		{"another number", `print(1 + 1)`, `3\n`, "cell 1 is stored with"},
		{"nothing", `x = 2`, `2\n`, "cell 1 is stored with"},
		{"an error", `1 / 0`, `2\n`, "ZeroDivisionError"},
	} {
		path := filepath.Join(t.TempDir(), "n.ipynb")
		notebook := `{"cells": [{"cell_type": "markdown", "source": ["x"]}, {"cell_type": "code", "source": ["` + test.source +
			`"], "outputs": [{"name": "stdout", "output_type": "stream", "text": ["` + test.stored + `"]}]}]}`
		if err := os.WriteFile(path, []byte(notebook), 0o666); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command("python3", filepath.Join("notebook", "run.py"), path).CombinedOutput()
		if (err != nil) != (test.want != "") || !strings.Contains(string(out), test.want) {
			t.Errorf("%s: error %v, output %q, want %q", test.name, err, out, test.want)
		}
	}
}
