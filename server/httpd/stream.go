package httpd

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"reflect"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"elowen/server/transfer"
	"elowen/server/transfer/foreign"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// jsonl is the media type of exports.
const jsonl = "application/jsonl"

// multipartForm is the media type of several files at once, each with its name.
const multipartForm = "multipart/form-data"

// importTypes are the media types of imports, with the name that a file gets which
// comes without one. It is as good as a hint of what it is.
var importTypes = map[string]string{
	jsonl: "import.jsonl", "application/x-ndjson": "import.jsonl", "application/ndjson": "import.jsonl", "application/x-jsonlines": "import.jsonl",
	"application/json": "import.json", "text/markdown": "import.md", "text/plain": "import.txt", "application/zip": "import.zip", "application/octet-stream": "",
	multipartForm: "",
}

// importTypesNamed are they in the order in which they are told.
var importTypesNamed = []string{jsonl, "application/json", "text/markdown", "text/plain", "application/zip", "application/octet-stream", multipartForm,
	"application/x-ndjson", "application/ndjson", "application/x-jsonlines"}

// stall bounds how long an import may stand still; a slow one that moves goes on.
const stall = 60 * time.Second

// importQuery is the query of an import.
type importQuery struct {
	From     string `json:"from,omitempty" validate:"omitempty,oneof=chatgpt claude mem0 mcp-memory mcp-memory-service basic-memory markdown text jsonl"` // found out where it is absent
	Skip     bool   `json:"skip,omitempty"`                                                                                                               // leave out what is refused of another system's, instead of holding all back
	DryRun   bool   `json:"dryRun,omitempty"`
	Progress bool   `json:"progress,omitempty"` // answer line by line how far it is, the report last
}

// transfers are the routes of export and import.
func (s *server) transfers() []*Route {
	export := get(api.PathExport, api.ScopeRead, "All of the account's memories and categories, a JSON object a line", s.export)
	export.Gives, export.Stream = nil, jsonl
	imports := do(http.MethodPost, api.PathImport, api.ScopeWrite, "Bring in lines of an export, or what comes from another system; tells what became of each memory. A line without category goes to the default one, with null to none. Another system's come in all at once or not at all", s.imports).query(&importQuery{}).late()
	imports.Stream, imports.Accepts, imports.Gives = jsonl, importTypesNamed, reflect.TypeFor[api.ImportReport]()
	return []*Route{export, imports}
}

// export stages the lines in a file, so that a slow
// reader holds nothing of the store, and a failure is told before it begins.
func (s *server) export(c *call) (none, error) {
	f, err := transfer.ExportScratch(s.TempDir)
	if err != nil {
		return none{}, err
	}
	defer f.Close()
	if err := s.Transfer.Export(c.ctx, c.id.Owner, f); err != nil {
		return none{}, err
	}
	size, err := f.Seek(0, io.SeekCurrent)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return none{}, fault.Wrap(fault.Unavailable, err, "The export could not be prepared.")
	}
	h := c.w.Header()
	h.Set("Content-Type", jsonl)
	h.Set("Content-Length", strconv.FormatInt(size, 10))
	day := time.UnixMilli(s.Clock()).UTC().Format(time.DateOnly)
	h.Set("Content-Disposition", fmt.Sprintf(`attachment; filename="elowen-%s.jsonl"`, day))
	c.w.WriteHeader(http.StatusOK)
	if c.r.Method == http.MethodHead {
		return none{}, nil
	}
	_, err = io.Copy(c.w, f)
	if err != nil {
		return none{}, fault.Wrap(fault.Cancelled, err, "")
	}
	return none{}, nil
}

// imports brings lines in. The whole file is here before anything is written, and
// before the answer begins: so an answer in steps can begin at once.
func (s *server) imports(c *call, _ none) (any, error) {
	var q importQuery
	if err := c.query(&q); err != nil {
		return nil, err
	}
	if err := c.mediaType(importTypesNamed...); err != nil {
		return nil, err
	}
	turn, err := s.Transfer.Turn(c.ctx, c.id.Owner)
	if err != nil {
		return nil, err
	}
	defer turn.Leave()
	b := &foreign.Bundle{}
	defer b.Close()
	size, err := s.arrive(c, b)
	if err != nil {
		return nil, arrived(err)
	}
	if err := c.once(nil); err != nil {
		return nil, err
	}
	o := transfer.Options{By: c.by(), Foreign: true, DryRun: q.DryRun, From: q.From, Skip: q.Skip, Turn: turn, TempDir: s.TempDir}
	if q.Progress {
		return streamed{}, s.importSteps(c, b, size, o)
	}
	return s.Transfer.Bring(c.ctx, c.id.Owner, b, o)
}

// arrive stages what comes: what a key stands for is known only at the end of it.
func (s *server) arrive(c *call, b *foreign.Bundle) (size int64, err error) {
	most := int64(setting.Get("import.file").Max)
	body := patientReader{http.MaxBytesReader(c.w, c.r.Body, most), http.NewResponseController(c.w)}
	counted := &counter{w: sha256.New()}
	kind, params, _ := mime.ParseMediaType(c.r.Header.Get("Content-Type"))
	if kind == multipartForm {
		err = s.files(b, multipart.NewReader(body, params["boundary"]), counted)
	} else {
		err = transfer.Stage(b, importTypes[kind], io.TeeReader(body, counted), s.TempDir)
	}
	c.body = counted.w.Sum(nil)
	return counted.n, err
}

// files stages the files of a form. Its boundary, which is another one each time, is no
// part of what a key stands for.
func (s *server) files(b *foreign.Bundle, form *multipart.Reader, counted *counter) error {
	for {
		p, err := form.NextRawPart()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.As(err, new(*http.MaxBytesError)):
			return err
		case err != nil:
			return fault.Wrap(fault.Invalid, err, "The form cannot be read, or did not arrive whole.")
		case p.FileName() == "":
			return fault.New(fault.Invalid, "Each part of the form must be a file with its name.")
		}
		fmt.Fprintf(counted.w, "%q ", p.FileName())
		err = transfer.Stage(b, p.FileName(), io.TeeReader(p, counted), s.TempDir)
		if errors.Is(err, io.ErrUnexpectedEOF) {
			err = fault.Wrap(fault.Invalid, err, "The form ends within a file. Nothing was changed.")
		}
		if err != nil {
			return err
		}
	}
}

// counter counts what is written.
type counter struct {
	w hash.Hash
	n int64
}

// Write implements io.Writer.
func (c *counter) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	return c.w.Write(p)
}

// streamed is the answer of a route that has written it already.
type streamed struct{}

// importSteps answers an import in lines: how far it is, and at the end the report
// or what went wrong.
func (s *server) importSteps(c *call, in *foreign.Bundle, size int64, o transfer.Options) error {
	c.w.Header().Set("Content-Type", jsonl)
	c.w.WriteHeader(http.StatusOK)
	control := http.NewResponseController(c.w)
	gone := false
	tell := func(step api.ImportStep) {
		line, err := json.Marshal(step, json.Deterministic(true))
		if err == nil && !gone {
			_, err = c.w.Write(append(line, '\n'))
		}
		if err == nil {
			err = control.Flush()
		}
		gone = gone || err != nil // the request's context tells the import
	}
	stage := api.StageWriting
	if o.DryRun {
		stage = api.StageReading
	}
	last := api.ImportStep{Stage: stage, Total: size}
	tell(last)
	o.Step = func(done, total int64, lines int) {
		last.Done, last.Total, last.Lines = done, total, lines
		tell(last)
	}
	report, err := s.Transfer.Bring(c.ctx, c.id.Owner, in, o)
	if err == nil {
		last.Done, last.Lines, last.Report = last.Total, report.Lines, &report
		tell(last)
		return nil
	}
	if fault.KindOf(err).Ours() {
		s.Log.Error("an import failed", "error", err)
	}
	p := fault.ProblemOf(err)
	last.Problem = &api.ImportProblem{Status: p.Status, Title: p.Title, Detail: p.Detail, Code: p.Code}
	tell(last)
	return nil
}

// arrived says why a body didn't come whole.
func arrived(err error) error {
	if _, ok := fault.As(tooLarge(err)); err == nil || ok {
		return tooLarge(err)
	}
	return fault.Wrap(fault.Cancelled, err, "The body did not arrive whole.")
}

// patientReader moves the connection's deadline on with every part. A connection
// without deadlines (a test's) needs none. What is written has its time from the
// program around all handlers.
type patientReader struct {
	io.Reader
	c *http.ResponseController
}

func (p patientReader) Read(b []byte) (int, error) {
	_ = p.c.SetReadDeadline(time.Now().Add(stall))
	return p.Reader.Read(b)
}

var errTwoRevisions = fault.New(fault.Invalid, "The body and If-Match name different revisions.")
