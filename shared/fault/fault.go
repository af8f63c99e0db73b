// Package fault is the closed list of error kinds that the product knows, and
// the one table that maps each kind to an HTTP status and to a problem document
// (RFC 9457) and back.
//
// An Error has a public text, which may be shown to anyone who sent the request,
// and apart from it a cause, which is only ever logged. Code that meets an error
// of another package asks KindOf; nothing recognises an error by its text.
//
// The package holds no HTTP types, so that the browser's build can use it too.
package fault

import (
	"errors"
	"fmt"
	"strings"
)

// Kind classifies an error. The list is append-only: a kind's code is part of
// the public contract.
type Kind uint8

// The kinds.
const (
	Internal         Kind = iota // a defect or a broken environment; the text says nothing of the cause
	Invalid                      // the request is malformed or a field is out of bounds
	Unauthenticated              // no valid session or token
	Forbidden                    // known who, but not allowed
	NotFound                     // absent, or not to be seen by this account
	MethodNotAllowed             // the route exists, the method does not
	Stale                        // the write names an older revision
	Taken                        // a name or key is in use, or an idempotency key was used for something else
	Gone                         // the state the request speaks of is over (setup done, code used up)
	TooLarge                     // body, line or frame over its bound
	Unsupported                  // media type
	TooMany                      // rate limit; see Error.RetryAfter
	Unavailable                  // a part that is not configured, is busy, or is shutting down; the text says which
	Cancelled                    // the caller went away or its deadline passed
	Corrupt                      // the store is broken, foreign, or newer than the program
)

// retrySoon is when to try again what may pass any moment.
const retrySoon = 5_000

var kinds = [...]struct {
	code   string
	title  string
	status int
	retry  int64 // milliseconds after which another try makes sense, where the error doesn't say; 0: none does
	ours   bool  // a defect of the program or its surroundings: whoever runs it must see the cause
}{
	Internal:         {"internal", "Something went wrong inside", 500, 0, true},
	Invalid:          {"invalid", "The request is not valid", 400, 0, false},
	Unauthenticated:  {"unauthenticated", "Sign in first", 401, 0, false},
	Forbidden:        {"forbidden", "Not allowed", 403, 0, false},
	NotFound:         {"not_found", "Not found", 404, 0, false},
	MethodNotAllowed: {"method_not_allowed", "Method not allowed", 405, 0, false},
	Stale:            {"stale", "Changed meanwhile", 409, 0, false},
	Taken:            {"taken", "Already taken", 409, 0, false},
	Gone:             {"gone", "No longer possible", 410, 0, false},
	TooLarge:         {"too_large", "Too large", 413, 0, false},
	Unsupported:      {"unsupported_media_type", "Unsupported media type", 415, 0, false},
	TooMany:          {"too_many", "Too many requests", 429, retrySoon, false},
	Unavailable:      {"unavailable", "Not available", 503, retrySoon, false},
	Cancelled:        {"cancelled", "The request was cancelled", 504, 0, false},
	Corrupt:          {"corrupt", "The data directory cannot be used", 503, 0, true},
}

// Code is the kind's stable name, as in a problem's "code".
func (k Kind) Code() string { return kinds[k.known()].code }

// Title is the kind's short human text.
func (k Kind) Title() string { return kinds[k.known()].title }

// Status is the kind's HTTP status.
func (k Kind) Status() int { return kinds[k.known()].status }

// Ours tells whether such an error is a defect of the program or of what it runs on,
// not of what was asked: its cause belongs in the log as an error.
func (k Kind) Ours() bool { return kinds[k.known()].ours }

// String is the code.
func (k Kind) String() string { return k.Code() }

func (k Kind) known() Kind {
	if int(k) >= len(kinds) {
		return Internal
	}
	return k
}

// Kinds lists all kinds, in order.
func Kinds() []Kind {
	all := make([]Kind, len(kinds))
	for i := range kinds {
		all[i] = Kind(i)
	}
	return all
}

// KindOfCode is the inverse of Kind.Code; an unknown code is Internal.
func KindOfCode(code string) Kind {
	for i, k := range kinds {
		if k.code == code {
			return Kind(i)
		}
	}
	return Internal
}

// Field tells what is wrong with one field of a request.
type Field struct {
	Field   string `json:"field"`   // its JSON path, e.g. "halfLifeDays[3]"
	Rule    string `json:"rule"`    // the violated rule, e.g. "max"
	Param   string `json:"param"`   // the rule's bound, e.g. "365"; empty where it has none
	Message string `json:"message"` // a plain sentence
}

// Error is an error with a kind.
type Error struct {
	Kind    Kind
	Detail  string  // public text: what happened, what was kept, what to do
	Fields  []Field // for Invalid: one a bad field
	Current any     // for Stale: the row as it is now, in its wire form

	// RetryAfterMillis says when to try again; 0: as the kind says (RetryAfter).
	RetryAfterMillis int64

	cause error
}

// New makes an error of a kind with a public text.
func New(kind Kind, detail string) *Error { return &Error{Kind: kind, Detail: detail} }

// Newf is New with a format. Arguments end up in the public text.
func Newf(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Detail: fmt.Sprintf(format, args...)}
}

// Wrap makes an error of a kind whose cause is kept for the log. A nil cause is allowed.
func Wrap(kind Kind, cause error, detail string) *Error {
	return &Error{Kind: kind, Detail: detail, cause: cause}
}

// BadField is an Invalid error about one field.
func BadField(field, rule, param, message string) *Error {
	return &Error{Kind: Invalid, Detail: message, Fields: []Field{{field, rule, param, message}}}
}

// Error is the text for logs: code, public text and cause.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Kind.Code())
	if e.Detail != "" {
		b.WriteString(": ")
		b.WriteString(e.Detail)
	}
	if e.cause != nil {
		b.WriteString(": ")
		b.WriteString(e.cause.Error())
	}
	return b.String()
}

// Unwrap is the cause.
func (e *Error) Unwrap() error { return e.cause }

// KindOf is the kind of the outermost Error in err's chain; Internal where there is none.
func KindOf(err error) Kind {
	if e, ok := As(err); ok {
		return e.Kind
	}
	return Internal
}

// As is the outermost Error in err's chain, and whether there is one.
func As(err error) (*Error, bool) {
	var e *Error
	ok := errors.As(err, &e)
	return e, ok
}

// RetryAfter is in how many milliseconds another try makes sense: what the error says
// itself, else what its kind does; 0 where a try is no use.
func RetryAfter(err error) int64 {
	e, ok := As(err)
	if !ok {
		return 0
	}
	if e.RetryAfterMillis > 0 {
		return e.RetryAfterMillis
	}
	return kinds[e.Kind.known()].retry
}

// Is tells whether err is of the kind. A nil error is of none.
func Is(err error, kind Kind) bool { return err != nil && KindOf(err) == kind }

// Problem is the wire form of an error: RFC 9457, application/problem+json.
type Problem struct {
	Type    string  `json:"type"`   // always "about:blank": the code tells the kinds apart
	Status  int     `json:"status"` // as in the response line
	Title   string  `json:"title"`
	Detail  string  `json:"detail"`
	Code    string  `json:"code"`
	Errors  []Field `json:"errors,omitempty"`
	Current any     `json:"current,omitempty"` // 409 on a stale revision: the row as it is
}

// ProblemType is the media type of a Problem.
const ProblemType = "application/problem+json"

// ProblemOf renders err for the one who sent the request: the text of an Error,
// nothing of its cause, and nothing at all of an error without a kind.
func ProblemOf(err error) Problem {
	e, ok := As(err)
	if !ok {
		e = New(Internal, "")
	}
	detail := e.Detail
	if e.Kind == Internal || detail == "" {
		detail = e.Kind.Title()
	}
	return Problem{
		Type: "about:blank", Status: e.Kind.Status(), Title: e.Kind.Title(),
		Detail: detail, Code: e.Kind.Code(), Errors: e.Fields, Current: e.Current,
	}
}

// Err turns a received problem back into an Error.
func (p Problem) Err() *Error {
	return &Error{Kind: KindOfCode(p.Code), Detail: p.Detail, Fields: p.Errors, Current: p.Current}
}
