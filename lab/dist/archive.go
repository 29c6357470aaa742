package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"
)

// archive writes the files in the platform's usual archive format, inside a folder with the archive's name.
func (b *builder) archive(p platform, files []file) error {
	files = sorted(files)
	if p.os == "windows" {
		return b.write(base(p)+".zip", func(w io.Writer) error { return writeZip(w, base(p), files, b.time) })
	}
	return b.write(base(p)+".tar.gz", func(w io.Writer) error { return writeTar(w, base(p), files, b.time) })
}

// sorted returns the files sorted by name.
func sorted(files []file) []file {
	return slices.SortedFunc(slices.Values(files), func(a, b file) int { return strings.Compare(a.name, b.name) })
}

// mode returns the permissions of a file.
func (f file) mode() fs.FileMode {
	if f.exec {
		return 0o755
	}
	return 0o644
}

// writeTar writes a compressed tar archive. Its bytes depend only on the files and the time.
func writeTar(w io.Writer, folder string, files []file, at time.Time) error {
	z, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	t := tar.NewWriter(z)
	for _, f := range files {
		if err := t.WriteHeader(&tar.Header{
			Name: folder + "/" + f.name, Mode: int64(f.mode()), Size: int64(len(f.data)), ModTime: at, Format: tar.FormatUSTAR,
		}); err != nil {
			return err
		}
		if _, err := t.Write(f.data); err != nil {
			return err
		}
	}
	if err := t.Close(); err != nil {
		return err
	}
	return z.Close()
}

// writeZip is like writeTar, but writes a zip archive.
func writeZip(w io.Writer, folder string, files []file, at time.Time) error {
	z := zip.NewWriter(w)
	for _, f := range files {
		h := &zip.FileHeader{Name: folder + "/" + f.name, Method: zip.Deflate, Modified: at}
		h.SetMode(f.mode())
		part, err := z.CreateHeader(h)
		if err != nil {
			return err
		}
		if _, err := part.Write(f.data); err != nil {
			return err
		}
	}
	return z.Close()
}
