package model

// What the tests outside the package need of its inside.
var (
	ReadFrozenChunks = readFrozen
	ReadChainsChunks = readRuns
	Table            = table
	Apply            = apply
	Remainder        = remainder
	Contribution     = contribution
	Finish           = finish
)

// CloseFile has the rank's next write to the file fail, as that to a full disk does.
func (s *Staged) CloseFile() { s.file.Close() }

// KeepNothing has a file keep digests of its blocks alone, as of a large one.
func (f *File) KeepNothing() { f.room.Store(0) }

// Intact reports whether passes rely on a checksum that was compared.
func (f *File) Intact() bool { return f.intact.Load() }
