// Command dist makes the downloads for users who do not build from source:
//
//	go run ./lab/dist -o dist
//
// It makes an archive for each platform in a table. The archive contains the program, its documents, man pages, shell
// completions, the licences of linked modules, and a bill of materials. For Linux it also makes a Debian package. A
// file of checksums covers all downloads.
//
// Binaries are static (CGO_ENABLED=0, -trimpath). The same commit and Go version give the same bytes. The times in
// archives are SOURCE_DATE_EPOCH or, if this is not set, the time of the commit.
package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ialgn"

	"ialgn/internal/message"
	"ialgn/internal/outfile"
	"ialgn/lab/internal/command"
)

func main() { command.Main("dist", run) }

// platform is an operating system and a processor, with Go's names.
type platform struct{ os, arch string }

// platforms lists the platforms for which programs are built. The Linux platforms also get a Debian package.
var platforms = []platform{
	{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"},
}

func (p platform) String() string { return p.os + "-" + p.arch }

// program returns the name of the program's file.
func (p platform) program() string {
	if p.os == "windows" {
		return "ialgn.exe"
	}
	return "ialgn"
}

// run builds everything into the folder of -o. It replaces files of earlier runs one by one.
func run(ctx context.Context, w io.Writer, args []string) error {
	flags := flag.NewFlagSet("dist", flag.ContinueOnError)
	out := flags.String("o", "dist", "write archives, packages and checksums to `DIR`")
	only := flags.String("only", "", "build for `OS-ARCH` alone")
	maintainer := flags.String("maintainer", "the authors of ialgn <root@localhost>", "who made the Debian package")
	if err := flags.Parse(args); err != nil {
		return err
	}
	chosen := platforms
	if *only != "" {
		i := slices.IndexFunc(platforms, func(p platform) bool { return p.String() == *only })
		if i < 0 {
			return message.WithHint(fmt.Errorf("-only %s: there is no such platform", *only), "give one of %v", platforms)
		}
		chosen = platforms[i : i+1]
	}
	if err := os.MkdirAll(*out, 0o777); err != nil {
		return err
	}
	work, err := os.MkdirTemp("", "ialgn-dist-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	b := &builder{out: *out, work: work, maintainer: *maintainer, log: w}
	if b.time, err = sourceTime(ctx); err != nil {
		return err
	}
	if err := b.common(ctx); err != nil {
		return err
	}
	for _, p := range chosen {
		if err := b.platform(ctx, p); err != nil {
			return fmt.Errorf("%v: %w", p, err)
		}
	}
	return b.checksums()
}

// builder builds the downloads for one platform after another.
type builder struct {
	out, work  string
	maintainer string
	log        io.Writer
	time       time.Time // modification time of all files
	shared     []file    // files in every archive
	made       []string  // names of the files written to out
}

// file is a file in an archive, with its path in the archive.
type file struct {
	name string
	data []byte
	exec bool
}

// sourceTime returns the time for all files.
func sourceTime(ctx context.Context) (time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		out, err := output(ctx, nil, "git", "log", "-1", "--format=%ct")
		if err != nil {
			return time.Time{}, message.WithHint(err, "build from a checkout, or set SOURCE_DATE_EPOCH")
		}
		text = strings.TrimSpace(out)
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("time %q: want seconds since 1970", text)
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// common collects the files that are the same for every platform. The program itself writes the man pages and the
// completions.
func (b *builder) common(ctx context.Context) error {
	host := filepath.Join(b.work, "host")
	if _, err := output(ctx, nil, "go", "build", "-trimpath", "-o", host, "./cmd/ialgn"); err != nil {
		return err
	}
	man := filepath.Join(b.work, "man")
	if _, err := output(ctx, nil, host, "man", "-o", man); err != nil {
		return err
	}
	for _, c := range []struct{ shell, name string }{
		{"bash", "completion/ialgn.bash"}, {"zsh", "completion/_ialgn"}, {"fish", "completion/ialgn.fish"},
	} {
		script, err := output(ctx, nil, host, "completion", c.shell)
		if err != nil {
			return err
		}
		b.shared = append(b.shared, file{name: c.name, data: []byte(script)})
	}
	for _, s := range []struct{ pattern, folder string }{
		{filepath.Join(man, "*.1"), "man"},
		{"*.md", ""},
		{"docs/*.md", "docs"},
		{"docs/guides/*.md", "docs/guides"},
		{"docs/reference/*.md", "docs/reference"},
		{"docs/evidence/*.md", "docs/evidence"},
		{"docs/pictures/*", "docs/pictures"},
	} {
		paths, err := filepath.Glob(s.pattern)
		if err != nil {
			return err
		}
		for _, path := range paths {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			b.shared = append(b.shared, file{name: filepath.ToSlash(filepath.Join(s.folder, filepath.Base(path))), data: data})
		}
	}
	return nil
}

// platform builds the program for a platform, and makes all archives that contain the program.
func (b *builder) platform(ctx context.Context, p platform) error {
	path := filepath.Join(b.work, p.String(), p.program())
	env := []string{"CGO_ENABLED=0", "GOOS=" + p.os, "GOARCH=" + p.arch}
	if _, err := output(ctx, env, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", path, "./cmd/ialgn"); err != nil {
		return err
	}
	program, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	modules, err := linked(ctx, env, path)
	if err != nil {
		return err
	}
	notices, err := notices(modules)
	if err != nil {
		return err
	}
	bill, err := newBill(modules, p, program, b.time).encode()
	if err != nil {
		return err
	}
	files := append([]file{
		{name: p.program(), data: program, exec: true}, {name: noticesName, data: notices}, {name: billName, data: bill},
	}, b.shared...)
	if err := b.archive(p, files); err != nil {
		return err
	}
	if p.os != "linux" {
		return nil
	}
	return b.debian(ctx, p, files)
}

// These are the names of two files in every archive.
const noticesName, billName = "THIRD-PARTY-NOTICES.txt", "ialgn.spdx.json"

// write writes a file into the output folder and prints its path.
func (b *builder) write(name string, write func(io.Writer) error) error {
	path := filepath.Join(b.out, name)
	if err := outfile.Write(path, write); err != nil {
		return err
	}
	b.made = append(b.made, name)
	_, err := fmt.Fprintln(b.log, path)
	return err
}

// checksums writes the SHA-256 of every file in the format of sha256sum -c.
func (b *builder) checksums() error {
	names := slices.Sorted(slices.Values(b.made))
	return b.write("SHA256SUMS", func(w io.Writer) error {
		for _, name := range names {
			data, err := os.ReadFile(filepath.Join(b.out, name))
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintf(w, "%x  %s\n", sha256.Sum256(data), name); err != nil {
				return err
			}
		}
		return nil
	})
}

// base returns the prefix of a platform's file names.
func base(p platform) string { return "ialgn-" + ialgn.Version + "-" + p.String() }

// output runs a program with additional environment variables and returns its output.
func output(ctx context.Context, env []string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, exit.Stderr)
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return string(out), nil
}
