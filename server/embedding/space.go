package embedding

import (
	"fmt"
	"net"
	"net/url"
	"path"
	"strings"

	"elowen/server/db"
	"elowen/shared/fault"
)

// Space is what vectors are comparable within. It holds no secret.
type Space struct {
	Kind     string // of the provider: one of api.Provider…
	Endpoint string // as Endpoint writes it; empty for the built-in model
	Model    string
	Asked    int    // the width that is asked for; 0: whatever the model has
	File     string // the hash of the built-in model's file; else empty
}

// Identity is all parts of the space as one text.
func (s Space) Identity() string {
	return fmt.Sprintf("%s %q %q %d %q", s.Kind, s.Endpoint, s.Model, s.Asked, s.File)
}

// Name is the model, as people are told of it.
func (s Space) Name() string { return s.Model }

// SpaceID names a stored space. 0 is none.
type SpaceID int64

// Stored is a space as it is stored.
type Stored struct {
	ID SpaceID // 0: there is none; embeddings are off
	Space
	Width int // of its vectors; 0 before the first
}

// On tells whether there is a space at all.
func (s Stored) On() bool { return s.ID != 0 }

// Label says what a memory's stored vectors are of.
type Label struct {
	Space    SpaceID
	BodyHash string
	Width    int
}

// Fresh tells whether vectors may stand for a body: they were made in the space,
// they have its width, and they are of that very body. It is the one decision for
// reads, for the search of what is missing, and for writes.
func Fresh(l Label, in Stored, bodyHash string) bool {
	return in.On() && l.Space == in.ID && l.Width > 0 && l.Width == in.Width && l.BodyHash == bodyHash && bodyHash != ""
}

// Unindexed is the condition that a row of a table with a memory's id, owner and
// body hash has no fresh vector in the space in use: Fresh, in SQL. It takes no
// arguments. table is the outer table's name. The space is asked for apart, once: in
// a join SQLite would go through all vectors of the account for each row.
func Unindexed(table string) string {
	return `NOT EXISTS (SELECT 1 FROM embedding e WHERE e.owner_id = ` + table + `.owner_id AND e.space_id = (SELECT space_id FROM embedding_active WHERE id = 1)
		AND e.memory_id = ` + table + `.id AND e.body_hash = ` + table + `.body_hash AND e.width > 0
		AND e.width = (SELECT s.width FROM embedding_active a JOIN embedding_space s ON s.id = a.space_id WHERE a.id = 1))`
}

// Endpoint normalizes a provider's address, so that two spellings of one address
// are one space: scheme and host in lower case, no default port, a clean path
// without a slash at its end. Errors: Invalid for what is no http(s) address, and
// for one with a user, a query or a fragment, which may hold secrets.
func Endpoint(text string) (string, error) {
	bad := func(why string) (string, error) {
		return "", fault.BadField("baseUrl", "url", "", "The address must be such as https://api.example.org/v1; "+why+".")
	}
	u, err := url.Parse(strings.TrimSpace(text))
	if err != nil {
		return bad("this is none")
	}
	u.Scheme = strings.ToLower(u.Scheme)
	host, port := strings.ToLower(strings.TrimSuffix(u.Hostname(), ".")), u.Port()
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return bad("it begins with http:// or https://")
	case host == "" || u.Opaque != "" || strings.HasPrefix(host, ".") || strings.HasSuffix(host, "."):
		return bad("the host is missing")
	case strings.ContainsFunc(host, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune("%<>\"\\^`{|}", r) }):
		return bad("the host has letters that none has; write an international name in its xn-- form")
	case u.User != nil:
		return bad("a user or a password has no place in it")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return bad("it ends with the path")
	}
	if u.Scheme == "http" && port == "80" || u.Scheme == "https" && port == "443" {
		port = ""
	}
	switch {
	case port != "":
		host = net.JoinHostPort(host, port)
	case strings.Contains(host, ":"):
		host = "[" + host + "]"
	}
	way := path.Clean("/" + u.EscapedPath())
	if way == "/" {
		way = ""
	}
	return u.Scheme + "://" + host + way, nil
}

// Activate makes a space the one in use, and stores it if it is new. It tells
// whether another one was in use before.
func Activate(tx *db.Tx, s Space) (now Stored, changed bool, err error) {
	was, err := Current(tx)
	if err != nil {
		return was, false, err
	}
	if was.On() && was.Space == s {
		return was, false, nil
	}
	if _, err := tx.Exec(`INSERT INTO embedding_space (identity, kind, endpoint, model, asked, file, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (identity) DO NOTHING`, s.Identity(), s.Kind, s.Endpoint, s.Model, s.Asked, s.File, tx.Now); err != nil {
		return was, false, err
	}
	now, err = scanSpace(tx, `SELECT `+spaceColumns+` FROM embedding_space s WHERE s.identity = ?`, s.Identity())
	if err != nil {
		return now, false, err
	}
	_, err = tx.Exec(`INSERT INTO embedding_active (id, space_id) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET space_id = excluded.space_id`, int64(now.ID))
	return now, true, err
}

// Deactivate switches embeddings off. It tells whether they were on. The vectors stay.
func Deactivate(tx *db.Tx) (changed bool, err error) {
	n, err := tx.Exec(`DELETE FROM embedding_active WHERE id = 1`)
	return n > 0, err
}

const spaceColumns = `s.id, s.kind, s.endpoint, s.model, s.asked, s.file, s.width`

func scanSpace(tx *db.Tx, query string, args ...any) (Stored, error) {
	var s Stored
	err := tx.Row(query, args, (*int64)(&s.ID), &s.Kind, &s.Endpoint, &s.Model, &s.Asked, &s.File, &s.Width)
	return s, err
}

// Current is the space in use. Where embeddings are off it has no ID.
func Current(tx *db.Tx) (Stored, error) {
	s, err := scanSpace(tx, `SELECT `+spaceColumns+` FROM embedding_active a JOIN embedding_space s ON s.id = a.space_id WHERE a.id = 1`)
	if fault.Is(err, fault.NotFound) {
		return Stored{}, nil
	}
	return s, err
}

// Spaces are all that were ever in use.
func Spaces(tx *db.Tx) ([]SpaceID, error) {
	ids, err := tx.Column(`SELECT id AS v FROM embedding_space`)
	list := make([]SpaceID, len(ids))
	for i, id := range ids {
		list[i] = SpaceID(id)
	}
	return list, err
}
