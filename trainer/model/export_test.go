package model

// What the tests outside the package need of its inside.
var (
	ReadFrozenChunks = readFrozen
	ReadChainsChunks = readRuns
	Table            = table
	Apply            = apply
)
