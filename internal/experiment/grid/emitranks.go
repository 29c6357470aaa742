package grid

import (
	"bytes"
	"fmt"
	"io"
	"text/template"

	"github.com/goccy/go-yaml"
)

// withMPI is the program that `make mpi` builds.
const withMPI = "ialgn-mpi"

// rankGigabytes returns the memory that a rank requests. It covers the rank's share of the network and a copy of the
// data, since each rank reads all data itself.
func (b *Batch) rankGigabytes() uint64 {
	const data = 1
	n := uint64(b.Ranks)
	return data + (b.gigabytes()+n-1)/n
}

// slurmRanksForm is the template of a job script in which several ranks train each run. Before the time is over,
// Slurm sends a signal to the ranks and not to the shell. The ranks then save the state of their run. If a rank
// fails, the other ranks end too.
var slurmRanksForm = template.Must(template.New("slurm").Parse(`#!/bin/bash
{{.Comment}}#
#SBATCH --job-name={{.Name}}
#SBATCH --array=0-{{.Last}}
#SBATCH --ntasks={{.Ranks}}
#SBATCH --cpus-per-task={{.Threads}}
#SBATCH --mem-per-cpu={{.Megabytes}}M
#SBATCH --signal=INT@300
#SBATCH --output=%x-%A_%a.log
set -eu
exec srun --mpi=pmix --ntasks={{.Ranks}} --cpus-per-task={{.Threads}} --kill-on-bad-exit=1 \
    {{.Command}} --index "$SLURM_ARRAY_TASK_ID" --threads "$SLURM_CPUS_PER_TASK" --quiet
`))

// slurmRanks writes the grid as a job array. Each index of the array has several tasks.
func (b *Batch) slurmRanks(w io.Writer) error {
	return slurmRanksForm.Execute(w, map[string]any{
		"Comment": b.comment(), "Name": b.name, "Last": b.Indexes - 1, "Threads": batchThreads, "Ranks": b.Ranks,
		"Megabytes": (b.rankGigabytes()<<10 + batchThreads - 1) / batchThreads,
		"Command":   Shell(append([]string{withMPI}, b.args[1:]...)),
	})
}

// mpiLabel is the maximum length of an MPIJob's name without its index. The limit follows from the names of the
// workers, which have at most 63 characters.
const mpiLabel = 40

// mpiJobs writes the grid as Kubeflow MPIJobs (v2beta1), one for each index. In each job, a launcher starts ranks in
// the workers. The user has to fill in the image and the claim of the volume.
func (b *Batch) mpiJobs(w io.Writer) error {
	var text bytes.Buffer
	text.WriteString(b.comment() + `#
# It needs the MPI Operator of Kubeflow. Name your own image, made by Containerfile.mpi, and your own claim: a volume
# that all pods may write, with the data sets in its folder data. To start an index again, delete its job and apply
# the file.
`)
	for i := range b.Indexes {
		text.WriteString("---\n")
		if err := yaml.NewEncoder(&text, yaml.IndentSequence(true)).Encode(b.mpiJob(i)); err != nil {
			return err
		}
	}
	_, err := text.WriteTo(w)
	return err
}

func (b *Batch) mpiJob(index int) yaml.MapSlice {
	command := append([]string{withMPI}, b.words()...)
	command = append(command, "--index", fmt.Sprint(index), "--ranks", fmt.Sprint(b.Ranks), "--threads",
		fmt.Sprint(batchThreads), "--quiet")
	resources := yaml.MapSlice{
		{Key: "cpu", Value: fmt.Sprint(batchThreads)},
		{Key: "memory", Value: fmt.Sprintf("%dGi", b.rankGigabytes())},
	}
	const image = "ialgn-mpi:latest"
	small := yaml.MapSlice{{Key: "cpu", Value: "1"}, {Key: "memory", Value: "1Gi"}}
	launcher := b.container("launcher", image, command, small)
	worker := b.container("worker", image, []string{"/usr/sbin/sshd", "-De"}, resources)
	return yaml.MapSlice{
		{Key: "apiVersion", Value: "kubeflow.org/v2beta1"},
		{Key: "kind", Value: "MPIJob"},
		{Key: "metadata", Value: yaml.MapSlice{{Key: "name", Value: fmt.Sprintf("%s-%d", b.label(mpiLabel), index)}}},
		{Key: "spec", Value: yaml.MapSlice{
			{Key: "slotsPerWorker", Value: 1},
			{Key: "runPolicy", Value: yaml.MapSlice{
				{Key: "cleanPodPolicy", Value: "Running"},
				{Key: "backoffLimit", Value: 5},
			}},
			{Key: "mpiReplicaSpecs", Value: yaml.MapSlice{
				{Key: "Launcher", Value: replicas(1, b.pod(launcher))},
				{Key: "Worker", Value: replicas(b.Ranks, b.pod(worker))},
			}},
		}},
	}
}

func replicas(n int, pod yaml.MapSlice) yaml.MapSlice {
	return yaml.MapSlice{
		{Key: "replicas", Value: n},
		{Key: "template", Value: yaml.MapSlice{{Key: "spec", Value: pod}}},
	}
}
