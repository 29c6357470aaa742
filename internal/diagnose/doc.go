// Package diagnose measures what the IALGN paper shows of trained networks: how the loss credits gates, by how much
// training changes the layers, what linear probes read in them, their entropy, the census of operations, and effective
// depth. Each measurement has a report with a JSON form and its charts.
package diagnose
