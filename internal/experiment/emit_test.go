package experiment

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/go-cmp/cmp"

	"ialgn/internal/experiment/grid"
)

// emitted writes a grid as a job. It returns the job and the text of the job's file.
func emitted(t *testing.T, r Runner, to grid.Cluster) (*grid.Batch, string) {
	t.Helper()
	b, err := r.Emit(t.Context(), to, "", 0)
	if err != nil {
		t.Fatal(err)
	}
	return b, read(t, b.File)
}

// indexes returns the runs that are listed in the comment of a job.
func indexes(text string) []string {
	var all []string
	for _, m := range regexp.MustCompile(`(?m)^#   (\d+ \S+\.seed\d+) \d+$`).FindAllStringSubmatch(text, -1) {
		all = append(all, m[1])
	}
	return all
}

// goldenRuns returns the runs of an experiment from the golden list. A cluster must train exactly these runs. If the
// configurations of an experiment are files, the golden list does not have them, and the files are the list.
func goldenRuns(t *testing.T, e Experiment) []string {
	t.Helper()
	var all []string
	if e.Sets != nil {
		for _, n := range e.At(Paper) {
			for seed := range e.PaperSeeds {
				all = append(all, fmt.Sprintf("%d %s.seed%d", len(all), mustConfig(t, &e, &n, Paper).Name, seed+1))
			}
		}
		return all
	}
	list := regexp.MustCompile(`(?m)^`+e.Name+`: .*\n  \{"name":"([^"]*)"`).FindAllStringSubmatch(read(t,
		filepath.Join("testdata", "paper.golden")), -1)
	for _, m := range list {
		for seed := range e.PaperSeeds {
			all = append(all, fmt.Sprintf("%d %s.seed%d", len(all), m[1], seed+1))
		}
	}
	return all
}

// TestSlurm checks the script of every grid with bash, and compares its indexes with the golden list.
func TestSlurm(t *testing.T) {
	for _, e := range All() {
		r := Runner{Experiment: e, Scale: Paper, Seeds: e.PaperSeeds, Options: grid.Options{Dir: t.TempDir()}}
		b, text := emitted(t, r, grid.Slurm)
		if diff := cmp.Diff(goldenRuns(t, e), indexes(text)); diff != "" || b.Indexes < 20 {
			t.Errorf("%s: indexes (-want +got):\n%s", e.Name, diff)
		}
		if want := fmt.Sprintf("\n#SBATCH --array=0-%d\n", b.Indexes-1); !strings.Contains(text, want) {
			t.Errorf("%s: no %q", e.Name, want)
		}
		if out, err := exec.CommandContext(t.Context(), "bash", "-n", b.File).CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%s: bash -n: %s, error %v", e.Name, out, err)
		}
	}
}

// TestSlurmRuns runs a script with bash, as Slurm would. A program that replaces ialgn records its arguments. Names
// with quotes and spaces must arrive unchanged.
func TestSlurmRuns(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "it's a folder")
	r := Runner{Experiment: digits, Scale: Quick, Seeds: 2, Only: []string{"*-ialgn", "none"}}
	r.Dir, r.Experiment.Set = dir, []string{"train.epochs=3"}
	b, text := emitted(t, r, grid.Slurm)
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "ialgn"), []byte("#!/bin/sh\nprintf '%s\\n' \"$@\"\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "bash", b.File)
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "SLURM_ARRAY_TASK_ID=1", "SLURM_CPUS_PER_TASK=4")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"experiment", "tiny", "--scale", "quick", "--seeds", "2", "--set", "train.epochs=3", "--only", "*-ialgn", "--only",
		"none",
		"-o", dir, "--index", "1", "--threads", "4", "--quiet",
	}
	if diff := cmp.Diff(want, strings.Split(strings.TrimSpace(string(out)), "\n")); diff != "" {
		t.Errorf("words (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"0 digits-60x4-ialgn-quick-e3.seed1", "1 digits-60x4-ialgn-quick-e3.seed2"},
		indexes(text)); diff != "" {
		t.Errorf("indexes (-want +got):\n%s", diff)
	}
	if filepath.Base(b.File) != "tiny-quick-e3.sbatch" || !strings.HasPrefix(b.Submit, "sbatch '/") {
		t.Errorf("%+v", b)
	}
}

// indexedJob holds the fields of a Kubernetes job that the tests check.
type indexedJob struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string
	Metadata   struct{ Name string }
	Spec       struct {
		CompletionMode       string `yaml:"completionMode"`
		Completions          int
		Parallelism          int
		BackoffLimitPerIndex int `yaml:"backoffLimitPerIndex"`
		Template             struct{ Spec podSpec }
	}
}

// podSpec holds the fields of a pod that the tests check.
type podSpec struct {
	RestartPolicy string `yaml:"restartPolicy"`
	Grace         int    `yaml:"terminationGracePeriodSeconds"`
	Containers    []struct {
		Name, Image  string
		WorkingDir   string `yaml:"workingDir"`
		Command      []string
		Env          []map[string]string
		Resources    struct{ Requests map[string]string }
		VolumeMounts []map[string]string `yaml:"volumeMounts"`
	}
	Volumes []struct {
		Name  string
		Claim map[string]string `yaml:"persistentVolumeClaim"`
	}
}

// TestLineBreak checks that a folder whose name contains a line break is refused. The line break would end the
// comment that contains the name.
func TestLineBreak(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a\nrm -r b")
	r := Runner{Experiment: baselines, Scale: Paper, Seeds: 1, Options: grid.Options{Dir: dir}}
	_, err := r.Emit(t.Context(), grid.Slurm, "", 0)
	if err == nil || !strings.Contains(err.Error(), "line break") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the folder was made")
	}
}

// TestKubernetes parses the job of every grid strictly.
func TestKubernetes(t *testing.T) {
	t.Chdir(t.TempDir())
	label := regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,51}[a-z0-9])?$`) // an index and a suffix follow; the limit is 63
	for _, e := range All() {
		e.Set = []string{"model.init_noise=0.5"}
		r := Runner{Experiment: e, Scale: Paper, Seeds: e.PaperSeeds}
		r.Dir = filepath.Join("tables", e.Name)
		b, text := emitted(t, r, grid.Kubernetes)
		var job indexedJob
		if err := yaml.UnmarshalWithOptions([]byte(text), &job, yaml.Strict()); err != nil {
			t.Fatalf("%s: %v\n%s", e.Name, err, text)
		}
		spec := job.Spec
		if job.APIVersion != "batch/v1" || job.Kind != "Job" || spec.CompletionMode != "Indexed" ||
			spec.Completions != len(indexes(text)) || spec.Completions != b.Indexes {
			t.Errorf("%s: %+v", e.Name, job)
		}
		if spec.Parallelism < 1 || spec.BackoffLimitPerIndex < 1 || spec.Template.Spec.RestartPolicy != "Never" ||
			!label.MatchString(job.Metadata.Name) {
			t.Errorf("%s: %+v", e.Name, job)
		}
		c := spec.Template.Spec.Containers[0]
		want := slices.Concat([]string{"ialgn"}, r.Args(), []string{
			"-o", r.Dir, "--index", "$(JOB_COMPLETION_INDEX)",
			"--threads", "4", "--quiet",
		})
		if diff := cmp.Diff(want, c.Command); diff != "" || c.VolumeMounts[0]["name"] != spec.Template.Spec.Volumes[0].Name {
			t.Errorf("%s: command (-want +got):\n%s", e.Name, diff)
		}
		var gigabytes uint64
		got := c.Resources.Requests["memory"]
		if _, err := fmt.Sscanf(got, "%dGi", &gigabytes); err != nil || gigabytes<<30 < b.Memory ||
			b.Memory == 0 && e.Sets == nil {
			t.Errorf("%s: asks for %s, a run needs %d bytes", e.Name, got, b.Memory)
		}
	}
}

// TestFolders checks that folders that pods do not share are refused, and that the data folder is passed on.
func TestFolders(t *testing.T) {
	t.Chdir(t.TempDir())
	r := Runner{Experiment: digits, Scale: Quick, Seeds: 1}
	for _, dirs := range [][2]string{
		{t.TempDir(), ""},
		{"../tables", ""},
		{"tables", "/elsewhere"},
		{"tables", "/workshop"},
		{"tables", "/work/../data"},
	} {
		r.Dir = dirs[0]
		if _, err := r.Emit(t.Context(), grid.Kubernetes, dirs[1], 0); err == nil ||
			!strings.Contains(err.Error(), "is not in the volume of the job") {
			t.Errorf("%q: error %v", dirs, err)
		}
	}
	r.Dir = "tables"
	for to, data := range map[grid.Cluster]string{grid.Kubernetes: "/work/sets", grid.Slurm: "/my sets"} {
		b, err := r.Emit(t.Context(), to, data, 0)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(b.Gather, " --data "+grid.Shell([]string{data})) ||
			!strings.Contains(read(t, b.File), data) {
			t.Errorf("%s: gather %s", to, b.Gather)
		}
	}
}

func TestParseCluster(t *testing.T) {
	for _, c := range []grid.Cluster{grid.Slurm, grid.Kubernetes} {
		if got, err := grid.ParseCluster(string(c)); got != c || err != nil {
			t.Errorf("%s: %s, error %v", c, got, err)
		}
	}
	if _, err := grid.ParseCluster("k8s"); err == nil || err.Error() != `no cluster "k8s": want slurm or kubernetes` {
		t.Errorf("error %v", err)
	}
	r := Runner{Experiment: digits, Scale: Paper, Seeds: 1, Options: grid.Options{Dir: t.TempDir()}}
	if err := os.Mkdir(filepath.Join(r.Dir, "tiny-paper.sbatch"), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Emit(t.Context(), grid.Slurm, "", 0); err == nil || !strings.Contains(err.Error(),
		"tiny-paper.sbatch: a folder") {
		t.Errorf("error %v", err)
	}
}
