package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"

	"ialgn/backend/verilog"
	"ialgn/compiler/folder"
)

// compareBench says so if the testbench is not what this program writes for the netlist.
// No check runs it, since it would be a judge whom the accused has chosen; but it goes to
// the users of the Verilog with the rest, who trust what it expects.
func compareBench(ctx context.Context, out *folder.Output) ([]string, error) {
	o, p, err := readOptions(out)
	if err != nil {
		return nil, err
	}
	path, err := out.Path("testbench")
	if err != nil {
		return nil, err
	}
	have, err := fileSHA256(ctx, path)
	if err != nil {
		return nil, err
	}
	hash := sha256.New()
	err = verilog.WriteTestbench(hash, out.Netlist, verilog.Options{
		Module: out.Manifest.Module, Header: header(out.Manifest, o), Style: p.style, Target: p.target(), Version: out.Manifest.Word,
	})
	if err != nil || hex.EncodeToString(hash.Sum(nil)) == have {
		return nil, err
	}
	return []string{filepath.Base(path) + " is not what this ialgn writes for the netlist: what it expects was not checked"}, nil
}
