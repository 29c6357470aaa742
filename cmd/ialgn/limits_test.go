package main

import (
	"testing"

	"ialgn/internal/config"
	"ialgn/internal/topology"
	"ialgn/netlist"
)

// TestDepthCompiles checks that the largest depth that a configuration allows equals the largest number of layers
// that a netlist can name.
func TestDepthCompiles(t *testing.T) {
	if topology.MaxDepth != netlist.MaxLayers {
		t.Errorf("a configuration has up to %d layers, a netlist %d", topology.MaxDepth, netlist.MaxLayers)
	}
	cfg := config.Default()
	cfg.Data.Set = "mnist"
	cfg.Model.Width = 10
	for depth, ok := range map[int]bool{netlist.MaxLayers: true, netlist.MaxLayers + 1: false} {
		cfg.Model.Depth = depth
		if err := cfg.Complete().Check(); (err == nil) != ok {
			t.Errorf("%d layers: %v", depth, err)
		}
	}
}
