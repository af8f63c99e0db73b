package command

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"elowen/shared/fault"
)

// socketName is the server's socket in the data directory.
const socketName = "elowen.sock"

// socketPathMost is the longest path that a socket's address can hold everywhere.
const socketPathMost = 100

// atSocket calls use with an address of the directory's socket. A path that is
// too long for one is reached through the open directory instead.
func atSocket(dir string, use func(path string) error) error {
	path := filepath.Join(dir, socketName)
	if len(path) <= socketPathMost {
		return use(path)
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return use(fmt.Sprintf("/proc/self/fd/%d/%s", f.Fd(), socketName))
}

// admin answers the invocations of others on the socket. It is the server's side.
type admin struct {
	listener net.Listener
	system   *System
	stores   *stores
	dir      string
	work     sync.WaitGroup
}

// listen opens the socket. The caller holds the server's lock, so a socket that
// is there already belongs to nobody.
func listen(dir string, s *System, st *stores) (*admin, error) {
	a := &admin{system: s, stores: st, dir: dir}
	err := atSocket(dir, func(path string) error {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		l, err := net.Listen("unix", path)
		if err != nil {
			return err
		}
		l.(*net.UnixListener).SetUnlinkOnClose(false) // path may not be its name
		a.listener = l
		return os.Chmod(path, 0o600)
	})
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, err, "The socket for admin commands cannot be made in the data directory: "+err.Error())
	}
	return a, nil
}

// serve answers until the socket is closed or ctx ends.
func (a *admin) serve(ctx context.Context) {
	for {
		c, err := a.listener.Accept()
		if err != nil {
			return
		}
		a.work.Add(1)
		go func() {
			defer a.work.Done()
			defer c.Close()
			a.answer(ctx, c)
		}()
	}
}

// close takes the socket away and waits for the commands that run.
func (a *admin) close() {
	a.listener.Close()
	os.Remove(filepath.Join(a.dir, socketName))
	a.work.Wait()
}

// invocationWait bounds how long a caller may take to say what it wants.
const invocationWait = 10 * time.Second

// answer runs one invocation. A caller that goes away cancels it.
func (a *admin) answer(ctx context.Context, c net.Conn) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	in := bufio.NewReader(c)
	out := &frames{w: c}
	_ = c.SetReadDeadline(time.Now().Add(invocationWait))
	kind, payload, err := receive(in)
	var v invocation
	if err != nil || kind != frameInvocation || json.Unmarshal(payload, &v) != nil {
		return
	}
	_ = c.SetReadDeadline(time.Time{})
	if v.Relay != nil {
		if v.Relay.Protocol != relayProtocol {
			fmt.Fprintf(out.writer(frameError), "elowen: The server and this elowen mcp (%s) are too far apart: start the agent again, so that it starts elowen mcp anew.\n", v.Version)
			_ = out.send(frameExit, []byte{exitFailed})
			return
		}
		// Nothing else of what was asked counts: commands need the same version.
		v.Args, v.Env = []string{"mcp-relay", "--user=" + v.Relay.User, "--token=" + v.Relay.Token}, nil
	} else if v.Version != version {
		fmt.Fprintf(out.writer(frameError), "elowen: The server runs version %s, this program is %s. Restart the server, or use its program.\n", version, v.Version)
		_ = out.send(frameExit, []byte{exitFailed})
		return
	}
	input, feed := io.Pipe()
	go func() {
		defer cancel() // whoever asked is gone, or has nothing more to say
		for {
			kind, payload, err := receive(in)
			switch {
			case err != nil:
				feed.CloseWithError(io.ErrUnexpectedEOF)
				return
			case kind == frameInput:
				if _, err := feed.Write(payload); err != nil {
					continue // the command doesn't read any more
				}
			case kind == frameInputEnd:
				feed.Close()
			}
		}
	}()
	s := *a.system
	s.Stdin = &asking{frames: out, r: input}
	s.Stdout, s.Stderr = out.writer(frameOutput), out.writer(frameError)
	s.Dir, s.Terminal = v.Dir, v.Terminal
	s.Env = func(name string) (string, bool) { text, ok := v.Env[name]; return text, ok }
	s.Ask = func(string) (string, error) { return "", fault.New(fault.Invalid, "There is no terminal to ask at.") }
	s.Line = nil
	s.inside = a.stores
	code := a.run(ctx, &s, v.Args)
	input.Close()
	_ = out.send(frameExit, []byte{byte(code)})
}

// run keeps a command that panics from taking the server along.
func (a *admin) run(ctx context.Context, s *System, args []string) (code int) {
	defer func() {
		if p := recover(); p != nil {
			a.stores.log.Error("an admin command panicked", "panic", p)
			fmt.Fprintln(s.Stderr, "elowen: something went wrong inside; the server's log has more")
			code = exitFailed
		}
	}()
	return s.Run(ctx, args)
}

// asking asks the caller for its standard input when it is first read: one that
// nobody reads must not be eaten.
type asking struct {
	frames *frames
	once   sync.Once
	r      io.Reader
}

// Read implements io.Reader.
func (a *asking) Read(p []byte) (int, error) {
	a.once.Do(func() { _ = a.frames.send(frameRead, nil) })
	return a.r.Read(p)
}
