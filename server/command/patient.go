package command

import (
	"net/http"
	"time"
)

// writeTime is how long one piece of an answer may wait for a client to read on.
// A limit for a whole answer would cut long streams, and none would let a client
// that doesn't read hold its answer for good.
const writeTime = 60 * time.Second

// writePiece is how much is written under one limit.
const writePiece = 256 << 10

// patient gives each piece of an answer its own time.
func patient(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(&patientWriter{w, http.NewResponseController(w)}, r)
	})
}

type patientWriter struct {
	http.ResponseWriter
	control *http.ResponseController
}

// Write implements http.ResponseWriter.
func (w *patientWriter) Write(p []byte) (n int, err error) {
	for {
		_ = w.control.SetWriteDeadline(time.Now().Add(writeTime)) // a connection without one needs none
		piece := p[n:min(n+writePiece, len(p))]
		m, err := w.ResponseWriter.Write(piece)
		n += m
		if err != nil || n == len(p) {
			return n, err
		}
	}
}

// Unwrap lets http.ResponseController and websockets reach the connection.
func (w *patientWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
