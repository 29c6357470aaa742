package model

// These names give the tests outside the package access to its internals.
var (
	ReadFrozenChunks = readFrozen
	ReadChainsChunks = readRuns
	Table            = table
	Apply            = apply
	Remainder        = remainder
	Contribution     = contribution
	Finish           = finish
)

// CloseFile makes the rank's next write to the file fail, as if the disk were full.
func (s *Staged) CloseFile() { s.file.Close() }

// KeepNothing makes a file keep only the digests of its blocks, as for a large file.
func (f *File) KeepNothing() { f.room.Store(0) }

// Intact reports whether the file was compared with its checksum, so that later passes need not do this again.
func (f *File) Intact() bool { return f.intact.Load() }
