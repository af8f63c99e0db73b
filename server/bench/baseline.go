package main

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/driver"
	"github.com/ncruces/go-sqlite3/ext/fts5"
)

// peer is what most such systems are: a SQLite file with a row for each text, a
// full-text table over it that a trigger keeps up, and nothing else: no audit, no
// change log, no revisions, no groups.
type peer struct{ db *sql.DB }

// openPeer makes one. Each of the callers gets a connection of its own.
func (b *bench) openPeer(ctx context.Context, callers int) (*peer, error) {
	dir, err := b.fresh("peer")
	if err != nil {
		return nil, err
	}
	dsn := "file:" + filepath.ToSlash(filepath.Join(dir, "peer.sqlite")) +
		"?_pragma=busy_timeout(60000)&_pragma=journal_mode(wal)&_pragma=synchronous(full)&_pragma=cache_size(-65536)"
	d, err := driver.Open(dsn, func(c *sqlite3.Conn) error { return fts5.Register(c) })
	if err != nil {
		return nil, err
	}
	d.SetMaxOpenConns(callers)
	d.SetMaxIdleConns(callers)
	for _, q := range []string{
		`CREATE TABLE peer_row (id INTEGER PRIMARY KEY, body TEXT NOT NULL, kind TEXT NOT NULL, importance INTEGER NOT NULL, created_at INTEGER NOT NULL)`,
		`CREATE INDEX peer_created ON peer_row (created_at)`,
		`CREATE VIRTUAL TABLE peer_text USING fts5 (body, content = 'peer_row', content_rowid = 'id', tokenize = 'porter unicode61')`,
		`CREATE TRIGGER peer_added AFTER INSERT ON peer_row BEGIN INSERT INTO peer_text (rowid, body) VALUES (new.id, new.body); END`,
	} {
		if _, err := d.ExecContext(ctx, q); err != nil {
			d.Close()
			return nil, err
		}
	}
	return &peer{d}, nil
}

func (p *peer) close() { p.db.Close() }

const peerInsert = `INSERT INTO peer_row (body, kind, importance, created_at) VALUES (?, 'fact', 5, ?)`

// add inserts one text, durably.
func (p *peer) add(ctx context.Context, body string) error {
	_, err := p.db.ExecContext(ctx, peerInsert, body, time.Now().UnixMilli())
	return err
}

// fill inserts texts in transactions of batch rows.
func (p *peer) fill(ctx context.Context, bodies []string) error {
	for len(bodies) > 0 {
		n := min(len(bodies), batch)
		if err := p.fillSome(ctx, bodies[:n]); err != nil {
			return err
		}
		bodies = bodies[n:]
	}
	return nil
}

func (p *peer) fillSome(ctx context.Context, bodies []string) error {
	tx, err := p.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	insert, err := tx.PrepareContext(ctx, peerInsert)
	if err != nil {
		return err
	}
	defer insert.Close()
	for _, body := range bodies {
		if _, err := insert.ExecContext(ctx, body, time.Now().UnixMilli()); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// search asks for any of the words and reads the best texts.
func (p *peer) search(ctx context.Context, words string, limit int) error {
	terms := strings.Fields(words)
	for i, t := range terms {
		terms[i] = `"` + t + `"`
	}
	rows, err := p.db.QueryContext(ctx, `SELECT rowid, body FROM peer_text WHERE peer_text MATCH ? ORDER BY rank LIMIT ?`, strings.Join(terms, " OR "), limit)
	if err != nil {
		return err
	}
	defer rows.Close()
	n := 0
	var id int64
	var body string
	for rows.Next() {
		if err := rows.Scan(&id, &body); err != nil {
			return err
		}
		n++
	}
	if n == 0 {
		return fmt.Errorf("the peer found nothing for %q", words)
	}
	return rows.Err()
}

// page reads one page of the list at a rank.
func (p *peer) page(ctx context.Context, rank, limit int) error {
	rows, err := p.db.QueryContext(ctx, `SELECT id, body FROM peer_row ORDER BY created_at DESC LIMIT ? OFFSET ?`, limit, rank)
	if err != nil {
		return err
	}
	defer rows.Close()
	var id int64
	var body string
	for rows.Next() {
		if err := rows.Scan(&id, &body); err != nil {
			return err
		}
	}
	return rows.Err()
}
