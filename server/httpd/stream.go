package httpd

import (
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"elowen/server/transfer"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// jsonl is the media type of exports; imports may come as any of jsonlTypes.
const jsonl = "application/jsonl"

var jsonlTypes = []string{jsonl, "application/x-ndjson", "application/ndjson", "application/x-jsonlines", "application/octet-stream", "text/plain"}

// stall bounds how long an import may stand still; a slow one that moves goes on.
const stall = 60 * time.Second

// importQuery is the query of an import.
type importQuery struct {
	DryRun   bool `json:"dryRun,omitempty"`
	Progress bool `json:"progress,omitempty"` // answer line by line how far it is, the report last
}

// transfers are the routes of export and import.
func (s *server) transfers() []*Route {
	export := get(api.PathExport, api.ScopeRead, "All of the account's memories and categories, a JSON object a line", s.export)
	export.Gives, export.Stream = nil, jsonl
	imports := do(http.MethodPost, api.PathImport, api.ScopeWrite, "Bring lines of an export in; tells what became of each. A memory's line without category goes to the default one, with null to none", s.imports).query(&importQuery{}).late()
	imports.Stream, imports.Gives = jsonl, reflect.TypeFor[api.ImportReport]()
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
	if err := c.mediaType(jsonlTypes...); err != nil {
		return nil, err
	}
	most := int64(setting.Get("import.file").Max)
	var in io.Reader = patientReader{http.MaxBytesReader(c.w, c.r.Body, most), http.NewResponseController(c.w)}
	var size int64
	if c.key != "" || q.Progress {
		// What a key stands for is known only at the end of the file.
		f, err := transfer.ImportScratch(s.TempDir)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		sum := sha256.New()
		if size, err = io.Copy(io.MultiWriter(f, sum), in); err != nil {
			return nil, arrived(err)
		}
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return nil, fault.Wrap(fault.Unavailable, err, "The file could not be kept while it was read.")
		}
		c.body, in = sum.Sum(nil), f
		if err := c.once(nil); err != nil {
			return nil, err
		}
	}
	o := transfer.Options{By: c.by(), Foreign: true, DryRun: q.DryRun, TempDir: s.TempDir}
	if q.Progress {
		return streamed{}, s.importSteps(c, in, size, o)
	}
	report, err := s.Transfer.Import(c.ctx, c.id.Owner, in, o)
	return report, arrived(err)
}

// streamed is the answer of a route that has written it already.
type streamed struct{}

// importSteps answers an import in lines: how far it is, and at the end the report
// or what went wrong.
func (s *server) importSteps(c *call, in io.Reader, size int64, o transfer.Options) error {
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
	report, err := s.Transfer.Import(c.ctx, c.id.Owner, in, o)
	if err = arrived(err); err == nil {
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
