//go:build linux

// Command netdelay joins network namespaces by a network whose packets take a while, without the kernel's netem, which
// not every machine has: each namespace gets an interface whose frames the command carries itself. It needs root.
//
//	netdelay -delay 200us node1 node2
//
// makes the namespaces node1 and node2 with the addresses 10.77.0.1 and 10.77.0.2, and 10.77.0.254 outside of them, and
// takes them away again when it is interrupted. docs/CLUSTER.md says how mpirun starts ranks in them.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// outside is the address outside of the namespaces, which no namespace has.
const outside = 254

func main() {
	delay := flag.Duration("delay", 0, "what a packet takes from one namespace to another, in one direction")
	flag.Parse()
	if err := run(*delay, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "netdelay:", err)
		os.Exit(1)
	}
}

func run(delay time.Duration, names []string) (err error) {
	if len(names) == 0 || len(names) >= outside {
		return errors.New("want the names of 1 to 253 namespaces")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	defer func() {
		for _, n := range names {
			err = errors.Join(err, ip("netns", "del", n))
		}
	}()
	for _, n := range names {
		if err := ip("netns", "add", n); err != nil {
			return err
		}
	}
	var s segment
	for i, n := range append(names, "") {
		number := i + 1
		if n == "" {
			number = outside
		}
		p, err := plug(n, number)
		if err != nil {
			return err
		}
		s = append(s, p)
	}
	for i := range s {
		go s.carry(i, delay)
		go s[i].deliver()
	}
	fmt.Println("ready")
	<-ctx.Done()
	return nil
}

// frame is what waits for its time.
type frame struct {
	data []byte
	due  time.Time
}

// port is an interface whose other end the command has.
type port struct {
	fd  int
	mac [6]byte
	in  chan frame
}

// segment are the ports that hear each other.
type segment []*port

// plug makes an interface in a namespace, the command's own if name is empty.
func plug(name string, number int) (*port, error) {
	mac := [6]byte{2, 0, 0, 0, 0, byte(number)}
	type opened struct {
		fd  int
		err error
	}
	done := make(chan opened)
	go func() {
		runtime.LockOSThread() // for good: the thread stays in the namespace, and ends with the goroutine
		fd, err := open(name)
		done <- opened{fd, err}
	}()
	o := <-done
	if o.err != nil {
		return nil, o.err
	}
	link := func(words ...string) error {
		if name != "" {
			words = append([]string{"-n", name}, words...)
		}
		return ip(words...)
	}
	err := errors.Join(
		link("link", "set", "lo", "up"),
		link("link", "set", "delay0", "address", fmt.Sprintf("02:00:00:00:00:%02x", number)),
		link("addr", "add", "10.77.0."+strconv.Itoa(number)+"/24", "dev", "delay0"),
		link("link", "set", "delay0", "up"),
	)
	return &port{fd: o.fd, mac: mac, in: make(chan frame, 1<<14)}, err
}

// open makes the interface delay0 in a namespace by a thread that stays there.
func open(name string) (int, error) {
	if name != "" {
		ns, err := unix.Open(filepath.Join("/run/netns", name), unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if err != nil {
			return 0, err
		}
		defer unix.Close(ns)
		if err := unix.Setns(ns, unix.CLONE_NEWNET); err != nil {
			return 0, fmt.Errorf("%s: %w", name, err)
		}
	}
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	request, err := unix.NewIfreq("delay0")
	if err != nil {
		return 0, err
	}
	request.SetUint16(unix.IFF_TAP | unix.IFF_NO_PI)
	return fd, unix.IoctlIfreq(fd, unix.TUNSETIFF, request)
}

// carry hands what comes from a port to those that it is for.
func (s segment) carry(from int, delay time.Duration) {
	buffer := make([]byte, 1<<16)
	for {
		n, err := unix.Read(s[from].fd, buffer)
		if err != nil {
			return
		}
		f := frame{append([]byte(nil), buffer[:n]...), time.Now().Add(delay)}
		for i, p := range s {
			if i != from && (f.data[0]&1 == 1 || p.mac == [6]byte(f.data)) {
				p.in <- f
			}
		}
	}
}

// deliver hands frames to a port when they are due: in the order in which they came, for all take as long.
func (p *port) deliver() {
	runtime.LockOSThread()
	for f := range p.in {
		for left := time.Until(f.due); left > 0; left = time.Until(f.due) {
			pause := unix.NsecToTimespec(int64(left))
			_ = unix.Nanosleep(&pause, nil) // a signal may end it: the loop looks again
		}
		_, _ = unix.Write(p.fd, f.data) // an interface that is down loses its frames, as others do
	}
}

func ip(words ...string) error {
	if out, err := exec.Command("ip", words...).CombinedOutput(); err != nil {
		return fmt.Errorf("ip %v: %w: %s", words, err, out)
	}
	return nil
}
