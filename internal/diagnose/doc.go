// Package diagnose takes the measurements of trained networks that the IALGN paper reports: how the loss credits
// gates, how much training changes each layer, what linear probes can read from the layers, their entropy, how often
// each operation occurs, and effective depth. Each measurement has a report with a JSON form and its charts.
package diagnose
