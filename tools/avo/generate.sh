#!/bin/sh
# Writes the vector kernels from their generator into the given folder, by default to
# trainer/kernel, where they are committed.
set -eu
cd "$(dirname "$0")"
out=${1:-../../trainer/kernel}
go run ./kernel -path avx512 -frame ../../trainer/kernel/frame.go -pkg kernel \
	-out "$out/avx512_amd64.s" -stubs "$out/avx512_amd64.go"
