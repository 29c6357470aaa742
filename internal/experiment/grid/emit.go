package grid

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"github.com/goccy/go-yaml"

	"ialgn/internal/message"
	"ialgn/internal/outfile"
)

// Cluster is a kind of cluster. The machines of a cluster share a folder. A job trains each run of a grid separately,
// by the run's index.
type Cluster string

// These are the kinds of clusters.
const (
	Slurm      Cluster = "slurm"
	Kubernetes Cluster = "kubernetes"
)

// ParseCluster returns the cluster with the given name.
func ParseCluster(name string) (Cluster, error) {
	if c := Cluster(name); c == Slurm || c == Kubernetes {
		return c, nil
	}
	return "", message.Near(fmt.Errorf("no cluster %q: want %s or %s", name, Slurm, Kubernetes), name,
		[]string{string(Slurm), string(Kubernetes)})
}

// Batch describes a grid as a job for a cluster. Each index of the job represents a run.
type Batch struct {
	File    string  `json:"file"`
	Cluster Cluster `json:"cluster"`
	Submit  string  `json:"submit"` // command that starts the job
	Gather  string  `json:"gather"` // command that makes the table when the job is complete
	Indexes int     `json:"indexes"`
	Memory  uint64  `json:"estimated_bytes"` // memory of the largest run
	Ranks   int     `json:"ranks,omitempty"` // number of processes of each run, which share this memory

	name string
	runs []Ahead
	args []string // arguments of the command, without --index
}

// batchThreads is the number of cores that each run requests.
const batchThreads = 4

// Command is the command line with which a job trains a grid.
type Command struct {
	Args  []string // arguments after the program's name, except for folders
	Reads []string // paths of the files among the arguments
	Data  string   // folder of the data sets on the machines of the job, or "" for the usual folders
	Ranks int      // number of MPI processes that train each run together; 0 for a single process without MPI
}

// places returns the paths that the command reads or writes.
func (c *Command) places(dir string) []string {
	all := append([]string{dir}, c.Reads...)
	if c.Data != "" {
		all = append(all, c.Data)
	}
	return all
}

// check returns an error if the command has words that a job file cannot contain, or paths that pods do not share.
func (c *Command) check(dir string, to Cluster) error {
	for _, word := range append(c.places(dir), c.Args...) {
		if strings.ContainsAny(word, "\r\n") { // a comment in the file contains the command
			return message.WithHint(fmt.Errorf("%q: a job file cannot have a command with a line break", word),
				"leave it out, or name another folder")
		}
	}
	for _, place := range c.places(dir) {
		if to == Kubernetes && !inVolume(place) {
			return message.WithHint(fmt.Errorf("%s: is not in the volume of the job, which a pod has at %s and where it works",
				place, volume), "name a folder relative to the volume, such as tables")
		}
	}
	return nil
}

// Emit writes the runs to the folder as a job for a cluster, and trains nothing. name is the name of the job. This
// machine need not have the data, since only the machines of the job read the data.
func (p *Plan) Emit(to Cluster, name string, command Command) (*Batch, error) {
	if err := command.check(p.Dir, to); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(p.Dir, 0o777); err != nil {
		return nil, err
	}
	args := slices.Concat([]string{"ialgn"}, command.Args, []string{"-o", p.Dir})
	b := &Batch{Cluster: to, Ranks: command.Ranks, name: name, args: args}
	if command.Data != "" {
		b.args = append(b.args, "--data", command.Data)
	}
	b.Gather = Shell(b.args)
	for i, s := range p.Runs() {
		a := p.ahead(i, s)
		b.runs, b.Memory = append(b.runs, a), max(b.Memory, a.Bytes)
	}
	b.Indexes = len(b.runs)
	form, ending, submit := b.slurm, ".sbatch", "sbatch"
	switch {
	case to == Kubernetes && b.Ranks > 0:
		form, ending, submit = b.mpiJobs, ".yaml", "kubectl apply -f"
	case to == Kubernetes:
		form, ending, submit = b.kubernetes, ".yaml", "kubectl apply -f"
	case b.Ranks > 0:
		form = b.slurmRanks
	}
	b.File = filepath.Join(p.Dir, b.name+ending)
	b.Submit = submit + " " + Shell([]string{b.File})
	if err := p.Guard.Check(b.File, outfile.Job); err != nil {
		return nil, err
	}
	return b, outfile.Write(b.File, form)
}

// volume is the path at which a pod mounts the shared volume. It is also the pod's working directory.
const volume = "/work"

// inVolume reports whether a folder is inside the pod's volume.
func inVolume(dir string) bool {
	return filepath.IsLocal(dir) || strings.HasPrefix(filepath.Clean(dir)+"/", volume+"/")
}

// gigabytes returns the memory that a run requests, with some reserve.
func (b *Batch) gigabytes() uint64 { return max(1, (b.Memory+b.Memory/4+1<<30-1)>>30) }

// comment returns a description of the job in lines that begin with #. For each index, it names the run.
func (b *Batch) comment() string {
	lines := []string{
		fmt.Sprintf("%s: %s, one an index. Made by `%s --emit %s%s`.", b.name, message.Plural(b.Indexes, "run", "runs"), b.Gather,
			b.Cluster, b.ranksOption()),
		"A run that is interrupted saves its state and goes on when its index is started again; one",
		"that is finished is not trained again. The table, when all are:",
		"  " + b.Gather,
		"Memory is an estimate for the largest run. The indexes, with model and epochs:",
	}
	for _, a := range b.runs {
		lines = append(lines, fmt.Sprintf("  %d %s.seed%d %d", a.Index, a.Name, a.Seed, a.Epochs))
	}
	return "# " + strings.Join(lines, "\n# ") + "\n"
}

// ranksOption returns the option --ranks of the command, or "" if it was not given.
func (b *Batch) ranksOption() string {
	if b.Ranks == 0 {
		return ""
	}
	return fmt.Sprintf(" --ranks %d", b.Ranks)
}

// slurmForm is the template of a job script. Before the time is over, Slurm sends a signal to the process of the
// shell, which exec has replaced by the program. The program then saves the state of its run.
var slurmForm = template.Must(template.New("slurm").Parse(`#!/bin/bash
{{.Comment}}#
#SBATCH --job-name={{.Name}}
#SBATCH --array=0-{{.Last}}
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --cpus-per-task={{.Threads}}
#SBATCH --mem={{.Gigabytes}}G
#SBATCH --signal=B:INT@300
#SBATCH --output=%x-%A_%a.log
set -eu
exec {{.Command}} --index "$SLURM_ARRAY_TASK_ID" --threads "$SLURM_CPUS_PER_TASK" --quiet
`))

// slurm writes the grid as a job array.
func (b *Batch) slurm(w io.Writer) error {
	return slurmForm.Execute(w, map[string]any{
		"Comment": b.comment(), "Name": b.name, "Last": b.Indexes - 1, "Threads": batchThreads, "Gigabytes": b.gigabytes(),
		"Command": b.Gather,
	})
}

// label returns the job's name in a form that Kubernetes accepts. The argument longest is the maximum number of
// characters. This limit leaves room for the index that Kubernetes appends in the names of pods.
func (b *Batch) label(longest int) string {
	text := regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(strings.ToLower("ialgn-"+b.name), "-")
	return strings.Trim(text[:min(len(text), longest)], "-")
}

// kubernetes writes the grid as an Indexed Job. The user has to fill in the image and the claim of the volume.
func (b *Batch) kubernetes(w io.Writer) error {
	resources := yaml.MapSlice{
		{Key: "cpu", Value: fmt.Sprint(batchThreads)},
		{Key: "memory", Value: fmt.Sprintf("%dGi", b.gigabytes())},
	}
	command := append(append(b.args[:1:1], b.words()...), "--index", "$(JOB_COMPLETION_INDEX)", "--threads",
		fmt.Sprint(batchThreads), "--quiet")
	pod := b.pod(b.container("ialgn", "ialgn:latest", command, resources))
	job := yaml.MapSlice{
		{Key: "apiVersion", Value: "batch/v1"},
		{Key: "kind", Value: "Job"},
		{Key: "metadata", Value: yaml.MapSlice{{Key: "name", Value: b.label(50)}}},
		{Key: "spec", Value: yaml.MapSlice{
			{Key: "completionMode", Value: "Indexed"},
			{Key: "completions", Value: b.Indexes},
			{Key: "parallelism", Value: min(b.Indexes, 16)},
			{Key: "backoffLimitPerIndex", Value: 5},
			{Key: "template", Value: yaml.MapSlice{{Key: "spec", Value: pod}}},
		}},
	}
	var text bytes.Buffer
	text.WriteString(b.comment() + `#
# Name your own image, which has ialgn in its path, and your own claim: a volume that all
# pods may write, with the data sets in its folder data.
`)
	if err := yaml.NewEncoder(&text, yaml.IndentSequence(true)).Encode(job); err != nil {
		return err
	}
	_, err := text.WriteTo(w)
	return err
}

// words returns the arguments for Kubernetes. Dollar signs are escaped, because they would begin variables.
func (b *Batch) words() (all []string) {
	for _, arg := range b.args[1:] {
		all = append(all, strings.ReplaceAll(arg, "$", "$$"))
	}
	return all
}

// container returns a container whose working directory is the volume.
func (b *Batch) container(name, image string, command []string, resources yaml.MapSlice) yaml.MapSlice {
	return yaml.MapSlice{
		{Key: "name", Value: name},
		{Key: "image", Value: image},
		{Key: "workingDir", Value: volume},
		{Key: "command", Value: command},
		{Key: "env", Value: []yaml.MapSlice{{{Key: "name", Value: "IALGN_DATA"}, {Key: "value", Value: volume + "/data"}}}},
		{Key: "resources", Value: yaml.MapSlice{{Key: "requests", Value: resources}}},
		{Key: "volumeMounts", Value: []yaml.MapSlice{{{Key: "name", Value: "work"}, {Key: "mountPath", Value: volume}}}},
	}
}

// pod returns a pod with a container and the volume.
func (b *Batch) pod(container yaml.MapSlice) yaml.MapSlice {
	claim := yaml.MapSlice{{Key: "claimName", Value: "ialgn"}}
	return yaml.MapSlice{
		{Key: "restartPolicy", Value: "Never"},
		{Key: "terminationGracePeriodSeconds", Value: 300},
		{Key: "containers", Value: []yaml.MapSlice{container}},
		{Key: "volumes", Value: []yaml.MapSlice{{
			{Key: "name", Value: "work"},
			{Key: "persistentVolumeClaim", Value: claim},
		}}},
	}
}

// plainWord matches a word that needs no quoting in a shell.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_.,:/=@%+-]+$`)

// Shell returns words as a shell command, quoted where needed.
func Shell(words []string) string {
	var quoted []string
	for _, w := range words {
		if !plainWord.MatchString(w) {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		quoted = append(quoted, w)
	}
	return strings.Join(quoted, " ")
}
