package httpd

import (
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

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

// dry is the query of an import.
type dry struct {
	DryRun bool `json:"dryRun,omitempty"`
}

// transfers are the routes of export and import.
func (s *server) transfers() []*Route {
	export := get(api.PathExport, api.ScopeRead, "All of the account's memories and categories, a JSON object a line", s.export)
	export.Gives, export.Stream = nil, jsonl
	imports := do(http.MethodPost, api.PathImport, api.ScopeWrite, "Bring lines of an export in; tells what became of each", s.imports).query(&dry{}).late()
	imports.Stream = jsonl
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

func (s *server) imports(c *call, _ none) (api.ImportReport, error) {
	var d dry
	if err := c.query(&d); err != nil {
		return api.ImportReport{}, err
	}
	if err := c.mediaType(jsonlTypes...); err != nil {
		return api.ImportReport{}, err
	}
	most := int64(setting.Get("import.file").Max)
	var in io.Reader = patientReader{http.MaxBytesReader(c.w, c.r.Body, most), http.NewResponseController(c.w)}
	if c.key != "" {
		// What the key stands for is known only at the end of the file.
		f, err := transfer.ImportScratch(s.TempDir)
		if err != nil {
			return api.ImportReport{}, err
		}
		defer f.Close()
		sum := sha256.New()
		if _, err := io.Copy(io.MultiWriter(f, sum), in); err != nil {
			return api.ImportReport{}, arrived(err)
		}
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return api.ImportReport{}, fault.Wrap(fault.Unavailable, err, "The file could not be kept while it was read.")
		}
		c.body, in = sum.Sum(nil), f
		if err := c.once(nil); err != nil {
			return api.ImportReport{}, err
		}
	}
	report, err := s.Transfer.Import(c.ctx, c.id.Owner, in, transfer.Options{
		By: c.by(), Foreign: true, DryRun: d.DryRun, TempDir: s.TempDir,
	})
	return report, arrived(err)
}

// arrived says why a body didn't come whole.
func arrived(err error) error {
	if _, ok := asFault(tooLarge(err)); err == nil || ok {
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
