package command

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"elowen/shared/fault"
)

// startWait is how long a command waits for a server that owns the directory but
// doesn't answer yet, because it starts, or not any more, because it stops.
const startWait = 10 * time.Second

// forward sends the invocation to the server of the data directory and plays its
// answer. done is false where no server runs: then the command runs here.
func (r *run) forward(command any) (code int, done bool) {
	conn, runs, err := r.dial()
	if err != nil {
		return r.fail(err), true
	}
	if !runs {
		return 0, false
	}
	defer conn.Close()
	args := r.args
	if s, ok := command.(secretive); ok && s.needsSecret() {
		// The terminal is here; what it tells goes along as standard input.
		secret, err := r.askTwice(s.prompt())
		if err != nil {
			return r.fail(err), true
		}
		args = append(append([]string(nil), args...), "--password-stdin")
		r.Stdin = strings.NewReader(secret + "\n")
	}
	code, err = r.talk(conn, args)
	if err != nil {
		return r.fail(fault.Wrap(fault.Unavailable, err, "The server went away before the command was done.")), true
	}
	return code, true
}

// dial connects to the server; runs tells whether there is one.
func (r *run) dial() (conn net.Conn, runs bool, err error) {
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		err := atSocket(r.data, func(path string) (err error) {
			conn, err = net.Dial("unix", path)
			return err
		})
		if err == nil {
			return conn, true, nil
		}
		if errors.Is(err, os.ErrPermission) {
			return nil, true, fault.New(fault.Forbidden, "The server of this data directory belongs to another user. Run the command as that user.")
		}
		runs, lockErr := serverRuns(r.data)
		switch {
		case lockErr != nil:
			return nil, false, lockErr
		case !runs:
			return nil, false, nil
		case time.Since(began) > startWait || r.ctx.Err() != nil:
			return nil, true, fault.Wrap(fault.Unavailable, err, fmt.Sprintf("The server of %s%s doesn't answer.", r.data, holder(r.data, serverLock)))
		}
	}
}

// talk sends the invocation and plays the answer until the exit code.
func (r *run) talk(conn net.Conn, args []string) (int, error) {
	out := &frames{w: conn}
	v := invocation{Version: version, Args: args, Dir: r.Dir, Terminal: r.Terminal, Env: map[string]string{}}
	for _, name := range r.variables() {
		if text, ok := r.Env(name); ok {
			v.Env[name] = text
		}
	}
	if err := out.sendJSON(frameInvocation, v); err != nil {
		return 0, err
	}
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		select {
		case <-r.ctx.Done(): // interrupted: the server cancels what nobody waits for
			conn.Close()
		case <-stop:
		}
	}()
	in := bufio.NewReader(conn)
	for {
		kind, payload, err := receive(in)
		if err != nil {
			return 0, err
		}
		switch kind {
		case frameOutput:
			if _, err := r.Stdout.Write(payload); err != nil {
				return exitFailed, nil // nobody reads it
			}
		case frameError:
			_, _ = r.Stderr.Write(payload)
		case frameRead:
			go r.pump(out)
		case frameExit:
			if len(payload) == 1 {
				return int(payload[0]), nil
			}
			return exitFailed, nil
		}
	}
}

// pump sends standard input.
func (r *run) pump(out *frames) {
	buf := make([]byte, 64<<10)
	for {
		n, err := r.Stdin.Read(buf)
		if n > 0 && out.send(frameInput, buf[:n]) != nil {
			return
		}
		if err != nil {
			_ = out.send(frameInputEnd, nil)
			return
		}
	}
}

// variables are the names of the environment that a command may look at.
func (r *run) variables() []string {
	names := []string{"HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"}
	for name := range flagNames() {
		names = append(names, variable(name))
	}
	return names
}

// askTwice asks for a new password.
func (r *run) askTwice(prompt string) (string, error) {
	first, err := r.Ask(prompt)
	if err != nil {
		return "", err
	}
	second, err := r.Ask("Again: ")
	if err != nil {
		return "", err
	}
	if first != second {
		return "", fault.New(fault.Invalid, "The two are not the same. Nothing was changed.")
	}
	return first, nil
}
