package scripted

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"
)

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/models") || strings.HasSuffix(r.URL.Path, "/api/tags") {
		s.list(w, r)
		return
	}
	body, _ := io.ReadAll(r.Body)
	req := &Request{Path: r.URL.Path, Header: r.Header.Clone(), Body: body, gone: make(chan struct{})}
	stop := context.AfterFunc(r.Context(), func() { close(req.gone) })
	defer stop()
	a := s.answer(req)
	if a.hang {
		select {
		case <-r.Context().Done():
		case <-s.closed:
		}
		return
	}
	for name, values := range a.header {
		w.Header()[name] = values
	}
	if a.status != http.StatusOK || len(a.steps) == 0 {
		w.WriteHeader(a.status)
		_, _ = io.WriteString(w, a.body)
		return
	}
	out := &writer{w: w, flush: w.(http.Flusher), model: req.Asked().Model}
	var speak speaker = &openAI{writer: out, usage: strings.Contains(string(body), `"include_usage":true`)}
	if req.Anthropic() {
		speak = &anthropic{writer: out}
	}
	if a.whole || !req.Asked().Stream {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(speak.whole(gather(a.steps)))
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	s.stream(r.Context(), out, speak, a.steps)
}

// stream plays the steps.
func (s *Server) stream(ctx context.Context, out *writer, speak speaker, steps []step) {
	all := gather(steps)
	speak.begin(all.usage)
	for _, one := range steps {
		switch {
		case one.gate != nil:
			select {
			case <-one.gate:
			case <-ctx.Done():
				return
			case <-s.closed:
				return
			}
		case one.pause > 0:
			timer := time.NewTimer(one.pause)
			select {
			case <-timer.C:
			case <-ctx.Done():
				timer.Stop()
				return
			}
		case one.cut:
			panic(http.ErrAbortHandler)
		case one.raw != "":
			out.raw(one.raw)
		case one.fail:
			speak.fail()
			return
		case one.call != nil:
			speak.call(one.call)
		case one.text != "":
			speak.text(one.text)
		}
	}
	speak.end(all.stop, all.usage)
}

// speaker writes an answer as one of the APIs does.
type speaker interface {
	begin(usage)
	text(string)
	call(*call)
	fail()
	end(stop string, u usage)
	whole(gathered) any
}

// gathered is what an answer holds in all.
type gathered struct {
	text  string
	calls []*call
	usage usage
	stop  string // in OpenAI's words
}

func gather(steps []step) gathered {
	out := gathered{stop: "stop", usage: usage{input: 7, output: 3}}
	var text strings.Builder
	for _, s := range steps {
		text.WriteString(s.text)
		if s.call != nil {
			out.calls = append(out.calls, s.call)
			out.stop = "tool_calls"
		}
		if s.usage != nil {
			out.usage = *s.usage
		}
	}
	for _, s := range steps {
		if s.stop != "" {
			out.stop = s.stop
		}
	}
	out.text = text.String()
	return out
}

// writer writes events.
type writer struct {
	w     io.Writer
	flush http.Flusher
	model string
}

func (w *writer) raw(text string) {
	_, _ = io.WriteString(w.w, text)
	w.flush.Flush()
}

func (w *writer) event(name string, data any) {
	text, _ := json.Marshal(data)
	line := "data: " + string(text) + "\n\n"
	if name != "" {
		line = "event: " + name + "\n" + line
	}
	w.raw(line)
}
