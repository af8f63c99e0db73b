package command

import (
	"encoding/binary"
	"encoding/json"
	"io"
	"sync"

	"elowen/shared/fault"
)

// On the socket go frames: a kind, a length in four bytes, and as many bytes.
// First comes the caller's invocation, then both talk.
const (
	frameInvocation = 'v' // caller: an invocation in JSON
	frameInput      = 'i' // caller: a piece of its standard input
	frameInputEnd   = 'e' // caller: that was all of it
	frameRead       = 'r' // server: the command reads standard input, send it
	frameOutput     = 'o' // server: for standard output
	frameError      = 'x' // server: for standard error
	frameExit       = 'q' // server: the exit code, in one byte
)

// frameMost bounds a frame.
const frameMost = 1 << 20

// invocation is a command as somebody asked for it.
type invocation struct {
	Version  string            `json:"version"`
	Args     []string          `json:"args"`
	Dir      string            `json:"dir"`
	Env      map[string]string `json:"env"`
	Terminal bool              `json:"terminal"`
	Relay    *relaying         `json:"relay,omitempty"` // instead of a command
}

// relaying asks the server to answer an agent's messages. An elowen mcp runs for as long
// as its agent does, and the server may be updated meanwhile: so here the versions may
// differ, and this and relayed stay as they are, or get another relayProtocol.
type relaying struct {
	Protocol int    `json:"protocol"`
	User     string `json:"user"`
	Token    string `json:"token"`
}

// relayProtocol counts the ways in which messages were relayed.
const relayProtocol = 1

// frames writes frames from several goroutines.
type frames struct {
	mu sync.Mutex
	w  io.Writer
}

func (f *frames) send(kind byte, payload []byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for first := true; first || len(payload) > 0; first = false {
		n := min(len(payload), frameMost)
		head := [5]byte{kind}
		binary.BigEndian.PutUint32(head[1:], uint32(n))
		if _, err := f.w.Write(append(head[:], payload[:n]...)); err != nil {
			return err
		}
		payload = payload[n:]
	}
	return nil
}

func (f *frames) sendJSON(kind byte, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if len(text) > frameMost {
		return fault.New(fault.TooLarge, "The command line is too long.")
	}
	return f.send(kind, text)
}

// writer writes what it is given as frames of a kind.
func (f *frames) writer(kind byte) io.Writer { return frameWriter{f, kind} }

type frameWriter struct {
	f    *frames
	kind byte
}

func (w frameWriter) Write(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if err := w.f.send(w.kind, p); err != nil {
		return 0, err
	}
	return len(p), nil
}

// receive reads one frame.
func receive(r io.Reader) (kind byte, payload []byte, err error) {
	var head [5]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, err
	}
	n := binary.BigEndian.Uint32(head[1:])
	if n > frameMost {
		return 0, nil, fault.New(fault.TooLarge, "A frame on the socket is too large.")
	}
	payload = make([]byte, n)
	_, err = io.ReadFull(r, payload)
	return head[0], payload, err
}
