#!/bin/sh
# Writes the vector kernels from their generator into the given folder, by default to
# trainer/kernel, where they are committed.
set -eu
cd "$(dirname "$0")"
out=${1:-../../trainer/kernel}
for path in avx512 avx2; do
	go run ./kernel -path $path -frame ../../trainer/kernel/frame.go -pkg kernel \
		-out "$out/${path}_amd64.s" -stubs "$out/${path}_amd64.go"
done
