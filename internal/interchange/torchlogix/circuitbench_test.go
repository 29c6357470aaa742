package torchlogix_test

import (
	"fmt"
	"strings"
	"testing"

	"ialgn/internal/interchange/torchlogix"
)

func BenchmarkReadCircuit(b *testing.B) {
	var gates []string
	for id := 4; id < 50000; id++ {
		gates = append(gates, fmt.Sprintf(`{"gate_id": %d, "op": "OR", "in0": 1, "in1": 2, "node_idx": -1}`, id))
	}
	text := circuitOfParts(strings.Join(gates, ", "), `{"node_id": 50001, "input_ids": [4], "tau": 1.0, "beta": 0.0}`, `"outputs": [50001]`)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := torchlogix.ReadCircuit(circuitText(text)); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(gates)*b.N)/b.Elapsed().Seconds(), "gates/s")
}
