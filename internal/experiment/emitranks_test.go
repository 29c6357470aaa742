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

// emittedRanks writes a grid as a job in which several processes share each run. It returns the job and the text of
// the job's file.
func emittedRanks(t *testing.T, r Runner, to grid.Cluster, ranks int) (*grid.Batch, string) {
	t.Helper()
	b, err := r.Emit(t.Context(), to, "", ranks)
	if err != nil {
		t.Fatal(err)
	}
	return b, read(t, b.File)
}

// TestSlurmRanks runs a script with bash. A program that replaces srun records its arguments.
func TestSlurmRanks(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "it's a folder")
	r := Runner{Experiment: digits, Scale: Quick, Seeds: 2, Options: grid.Options{Dir: dir}}
	b, text := emittedRanks(t, r, grid.Slurm, 16)
	for _, want := range []string{
		"\n#SBATCH --ntasks=16\n", "\n#SBATCH --cpus-per-task=4\n", "\n#SBATCH --signal=INT@300\n", "\n#SBATCH --mem-per-cpu=512M\n",
		" --emit slurm --ranks 16`.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "--nodes") || b.Ranks != 16 || b.Gather != grid.Shell([]string{
		"ialgn", "experiment", "tiny", "--scale", "quick", "--seeds", "2", "-o", dir,
	}) {
		t.Errorf("%+v\n%s", b, text)
	}
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "srun"), []byte("#!/bin/sh\nprintf '%s\\n' \"$@\"\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "bash", b.File)
	cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "SLURM_ARRAY_TASK_ID=1", "SLURM_CPUS_PER_TASK=4")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"--mpi=pmix", "--ntasks=16", "--cpus-per-task=4", "--kill-on-bad-exit=1", "ialgn-mpi", "experiment", "tiny", "--scale",
		"quick", "--seeds", "2", "-o", dir, "--index", "1", "--threads", "4", "--quiet",
	}
	if diff := cmp.Diff(want, strings.Split(strings.TrimSpace(string(out)), "\n")); diff != "" {
		t.Errorf("words (-want +got):\n%s", diff)
	}
}

// mpiJob holds the fields of an MPI Operator job that the tests check.
type mpiJob struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string
	Metadata   struct{ Name string }
	Spec       struct {
		SlotsPerWorker int `yaml:"slotsPerWorker"`
		RunPolicy      struct {
			CleanPodPolicy string `yaml:"cleanPodPolicy"`
			BackoffLimit   int    `yaml:"backoffLimit"`
		} `yaml:"runPolicy"`
		Replicas map[string]struct {
			Replicas int
			Template struct{ Spec podSpec }
		} `yaml:"mpiReplicaSpecs"`
	}
}

// TestMPIJob parses the jobs of a grid strictly.
func TestMPIJob(t *testing.T) {
	t.Chdir(t.TempDir())
	e := digits
	e.Set = []string{"train.epochs=3"}
	r := Runner{Experiment: e, Scale: Quick, Seeds: 2, Options: grid.Options{Dir: "tables"}}
	b, text := emittedRanks(t, r, grid.Kubernetes, 8)
	_, jobs, _ := strings.Cut(text, "---\n")
	all := strings.Split(jobs, "---\n")
	if len(all) != b.Indexes || b.Indexes != len(indexes(text)) || b.Indexes < 2 {
		t.Fatalf("%d jobs, want %d", len(all), b.Indexes)
	}
	label := regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`)
	for i, one := range all {
		var job mpiJob
		if err := yaml.UnmarshalWithOptions([]byte(one), &job, yaml.Strict()); err != nil {
			t.Fatalf("%v\n%s", err, one)
		}
		if job.APIVersion != "kubeflow.org/v2beta1" || job.Kind != "MPIJob" || job.Spec.SlotsPerWorker != 1 ||
			!label.MatchString(job.Metadata.Name) || !strings.HasSuffix(job.Metadata.Name, fmt.Sprint("-", i)) {
			t.Errorf("%+v", job)
		}
		launcher, worker := job.Spec.Replicas["Launcher"], job.Spec.Replicas["Worker"]
		if launcher.Replicas != 1 || worker.Replicas != 8 || len(job.Spec.Replicas) != 2 {
			t.Errorf("%+v", job)
		}
		want := slices.Concat([]string{"ialgn-mpi"}, r.Args(), []string{
			"-o", r.Dir, "--index", fmt.Sprint(i), "--ranks", "8", "--threads", "4", "--quiet",
		})
		if diff := cmp.Diff(want, launcher.Template.Spec.Containers[0].Command); diff != "" {
			t.Errorf("command (-want +got):\n%s", diff)
		}
		for _, pod := range []podSpec{launcher.Template.Spec, worker.Template.Spec} {
			c := pod.Containers[0]
			if c.Image != "ialgn-mpi:latest" || c.WorkingDir != "/work" || c.VolumeMounts[0]["name"] != pod.Volumes[0].Name ||
				c.Resources.Requests["memory"] == "" {
				t.Errorf("%+v", pod)
			}
		}
		if c := worker.Template.Spec.Containers[0].Command; !slices.Equal(c, []string{"/usr/sbin/sshd", "-De"}) {
			t.Errorf("workers run %q", c)
		}
	}
}
