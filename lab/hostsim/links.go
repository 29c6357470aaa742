//go:build linux

package main

import (
	"context"
	_ "embed" // for frames.py
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// pipe makes a named pipe.
func pipe(path string) error {
	if err := unix.Mkfifo(path, 0o600); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// overTerminal connects the host program to the testbench through a pseudo-terminal.
func overTerminal(_ context.Context, d *design, b *bench) ([]string, error) {
	master, slave, path, err := terminal()
	if err != nil {
		return nil, fmt.Errorf("no pseudo-terminal: %w", err)
	}
	// Both pipes are opened for reading and writing, so that opening does not wait for the other side.
	to, err := os.OpenFile(filepath.Join(d.work, fromHost), os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	from, err := os.OpenFile(filepath.Join(d.work, toHost), os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	b.carry(func() error {
		_, err := io.Copy(to, master)
		return err
	})
	b.carry(func() error { return decode(master, from) })
	b.ends = []io.Closer{master, slave, to, from}
	return []string{"python3", d.program, path, "--timeout", "600"}, nil
}

// terminal opens a pseudo-terminal. It also returns the path of the slave side.
func terminal() (master, slave *os.File, path string, err error) {
	if master, err = os.OpenFile("/dev/ptmx", os.O_RDWR, 0); err != nil {
		return nil, nil, "", err
	}
	raw, err := master.SyscallConn()
	if err != nil {
		return nil, nil, "", err
	}
	n := 0
	if e := raw.Control(func(fd uintptr) {
		if n, err = unix.IoctlGetInt(int(fd), unix.TIOCGPTN); err == nil {
			err = unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0)
		}
	}); e != nil {
		err = e
	}
	if err != nil {
		return nil, nil, "", err
	}
	path = fmt.Sprintf("/dev/pts/%d", n)
	slave, err = os.OpenFile(path, os.O_RDWR|unix.O_NOCTTY, 0)
	return master, slave, path, err
}

// overPipes compiles the host program. The program's output goes directly to the testbench. The testbench's answers
// are converted to bytes and go to the program through a second pipe.
func overPipes(ctx context.Context, d *design, b *bench) ([]string, error) {
	program := filepath.Join(d.work, "host")
	if _, err := started(ctx, d.work, []string{"gcc", "-std=c99", "-O2", "-o", program, d.program}); err != nil {
		return nil, err
	}
	if err := d.answers(b); err != nil {
		return nil, err
	}
	return []string{program, fromHost, bytesToHost}, nil
}

// bytesToHost is the name of the pipe with the testbench's answers as bytes.
const bytesToHost = "bytes_to_host"

// answers converts the testbench's answers to bytes and copies the bytes into a separate pipe.
func (d *design) answers(b *bench) error {
	if err := pipe(filepath.Join(d.work, bytesToHost)); err != nil {
		return err
	}
	from, err := os.OpenFile(filepath.Join(d.work, toHost), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	to, err := os.OpenFile(filepath.Join(d.work, bytesToHost), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	b.carry(func() error { return decode(to, from) })
	b.ends = []io.Closer{from, to}
	return nil
}

// overFrames runs the host program as a Python module whose frames go to the testbench.
func overFrames(_ context.Context, d *design, b *bench) ([]string, error) {
	return d.asModule(b, "frames.py", frames)
}

// asModule writes a Python program to a file of the given name. The program runs the host program as a module.
func (d *design) asModule(b *bench, name, text string) ([]string, error) {
	path := filepath.Join(d.work, name)
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		return nil, err
	}
	if err := d.answers(b); err != nil {
		return nil, err
	}
	return []string{"python3", path, d.program, fromHost, bytesToHost}, nil
}

// frames is Python source code with the function that simulates SPI transfers.
//
//go:embed frames.py
var frames string

// overPins runs the host program as a Python module whose GPIO lines are the pins of the testbench.
func overPins(_ context.Context, d *design, b *bench) ([]string, error) {
	return d.asModule(b, "pins.py", pins)
}

// pins is Python source code with the function that simulates GPIO lines.
//
//go:embed pins.py
var pins string
