// Package diagnose measures trained networks in the ways that the IALGN paper reports:
//
//   - how the loss credits gates;
//   - how much training changes each layer;
//   - what linear probes can read from the layers, and the entropy of the layers;
//   - how often each operation occurs;
//   - the effective depth of each layer.
//
// Each measurement has a report with a JSON form and charts.
package diagnose
