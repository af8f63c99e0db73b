package httpd

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"elowen/server/account"
	"elowen/server/audit"
	"elowen/server/validation"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// call is one request on its way through a route.
type call struct {
	s     *server
	route *Route
	w     http.ResponseWriter
	r     *http.Request
	ctx   context.Context // the request's, and from once on the one to write under

	id       account.Identity
	ifMatch  int64  // the revision that the caller saw; 0: none named
	key      string // Idempotency-Key; empty: none
	body     []byte
	replayed func() bool
	header   http.Header // for a success
}

// by names the caller in the audit.
func (c *call) by() audit.Actor { return audit.By(c.id) }

// pathID is the {id} of the path. What is no id is the id of nothing.
func (c *call) pathID() (int64, error) { return c.pathNumber("id") }

// pathNumber is an id at another place of the path; what is none is the id of nothing.
func (c *call) pathNumber(name string) (int64, error) {
	text := c.r.PathValue(name)
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id < 1 || strconv.FormatInt(id, 10) != text {
		return 0, errNotFound
	}
	return id, nil
}

// query reads the query parameters, into the same types as the route names.
func (c *call) query(into ...any) error { return validation.Query(c.r.URL.RawQuery, into...) }

// decode reads the JSON body.
func (c *call) decode(v any) error {
	if c.route.Optional && c.r.ContentLength == 0 {
		return nil
	}
	if err := c.mediaType("application/json"); err != nil {
		return err
	}
	var err error
	if c.body, err = validation.Read(http.MaxBytesReader(c.w, c.r.Body, bodyMost()+1), bodyMost()); err != nil {
		return tooLarge(err)
	}
	if err := validation.DecodeBytes(c.body, v); err != nil || c.r.Method != http.MethodPatch && c.r.Method != http.MethodPut {
		return err
	}
	return validation.Nulls(c.body, v)
}

// noBody refuses a body on a route that takes none: whoever sent one meant
// something by it, and would believe that it was done.
func (c *call) noBody() error {
	if c.route.Takes != nil || c.route.Stream != "" && c.route.Method != http.MethodGet || c.r.Body == nil {
		return nil
	}
	n := c.r.ContentLength
	if n < 0 { // chunked: only reading tells
		read, err := io.ReadFull(c.r.Body, make([]byte, 1))
		if err != nil && err != io.EOF {
			return fault.Wrap(fault.Cancelled, err, "The body did not arrive whole.")
		}
		n = int64(read)
	}
	if n > 0 {
		return fault.New(fault.Invalid, "This takes no body. Nothing was done.")
	}
	return nil
}

func tooLarge(err error) error {
	var most *http.MaxBytesError
	if errors.As(err, &most) {
		return fault.Newf(fault.TooLarge, "The body is larger than %d bytes. Nothing of it was taken.", most.Limit)
	}
	return err
}

// mediaType refuses a body of another type than those named.
func (c *call) mediaType(types ...string) error {
	if enc := c.r.Header.Get("Content-Encoding"); enc != "" && !strings.EqualFold(enc, "identity") {
		return fault.New(fault.Unsupported, "The body must be sent without a Content-Encoding.")
	}
	got, params, err := mime.ParseMediaType(c.r.Header.Get("Content-Type"))
	if charset := params["charset"]; err != nil || charset != "" && !strings.EqualFold(charset, "utf-8") {
		got = ""
	}
	for _, t := range types {
		if got == t {
			return nil
		}
	}
	return fault.Newf(fault.Unsupported, "The body must have the Content-Type %s, in UTF-8.", types[0])
}

// preconditions reads If-Match and Idempotency-Key.
func (c *call) preconditions() error {
	if list := c.r.Header.Values("If-Match"); len(list) > 0 {
		if !c.route.ByRevision {
			return fault.New(fault.Invalid, "If-Match names the revision of one thing; this request is about none that has one.")
		}
		text := list[0]
		digits := strings.TrimSuffix(strings.TrimPrefix(text, `"`), `"`)
		n, err := strconv.ParseInt(digits, 10, 64)
		if len(list) > 1 || err != nil || n < 1 || text != `"`+strconv.FormatInt(n, 10)+`"` {
			return fault.New(fault.Invalid, `If-Match must be one revision in double quotes, such as "7". Lists, weak tags and * are not taken.`)
		}
		c.ifMatch = n
	}
	if list := c.r.Header.Values(api.HeaderIdempotency); len(list) > 0 && c.route.Write() {
		if len(list) > 1 {
			return fault.New(fault.Invalid, "There must be only one "+api.HeaderIdempotency+".")
		}
		c.key = list[0]
		if _, _, err := account.Idempotent(c.ctx, c.id.Owner, c.key, nil); err != nil {
			return err
		}
	}
	return nil
}

// once makes the write that follows happen once for its key.
func (c *call) once(in any) error {
	if c.key == "" || c.route.Natural {
		return nil
	}
	var request bytes.Buffer
	request.WriteString(c.r.Method + " " + c.r.URL.Path + "?" + c.r.URL.RawQuery + " " + strconv.FormatInt(c.ifMatch, 10) + "\n")
	// A key stands for the body, but not for the passwords in it, whose quick hash would
	// be easier to guess from than the stored one.
	body := c.body
	if plain, secretive := validation.Hidden(in); secretive {
		var err error
		if body, err = json.Marshal(plain, json.Deterministic(true)); err != nil {
			return err
		}
	}
	request.Write(body)
	var err error
	c.ctx, c.replayed, err = account.Idempotent(c.ctx, c.id.Owner, c.key, request.Bytes())
	return err
}

// page wraps a list that is short enough to come whole.
func page[T any](c *call, items []T, err error) (api.Page[T], error) {
	if items == nil {
		items = []T{}
	}
	return api.Page[T]{Items: items, Total: len(items), AsOf: api.Time(c.s.Clock())}, err
}
