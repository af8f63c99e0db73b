package db

import (
	"context"
	"database/sql"
)

// stmtMost bounds a connection's prepared statements.
const stmtMost = 256

// conn is one connection with its prepared statements. Only one goroutine uses
// it at a time.
type conn struct {
	db    *DB
	sql   *sql.Conn
	stmts map[string]*sql.Stmt
	open  []*sql.Rows
}

func (d *DB) connect(ctx context.Context) (*conn, error) {
	var c *sql.Conn
	err := patiently(ctx, busyWait, func() (err error) {
		c, err = d.pool.Conn(ctx)
		return err
	})
	if err != nil {
		return nil, d.failed(ctx, err)
	}
	return &conn{db: d, sql: c, stmts: map[string]*sql.Stmt{}}, nil
}

// exec runs one of our own bracketing statements.
func (c *conn) exec(ctx context.Context, query string) error {
	stmt, err := c.stmt(ctx, query)
	if err != nil {
		return err
	}
	_, err = stmt.ExecContext(ctx)
	return err
}

// script runs several statements at once, unprepared.
func (c *conn) script(ctx context.Context, text string) error {
	_, err := c.sql.ExecContext(ctx, text)
	return err
}

func (c *conn) stmt(ctx context.Context, query string) (*sql.Stmt, error) {
	if s, ok := c.stmts[query]; ok {
		return s, nil
	}
	if len(c.stmts) >= stmtMost {
		for q, s := range c.stmts { // any one: the common ones come back at once
			s.Close()
			delete(c.stmts, q)
			break
		}
	}
	s, err := c.sql.PrepareContext(ctx, c.db.engine.rewrite(query))
	if err != nil {
		return nil, err
	}
	c.stmts[query] = s
	return s, nil
}

// opened and closed keep track of unfinished queries: one that a decision
// forgot must not keep the group from committing.
func (c *conn) opened(r *sql.Rows) { c.open = append(c.open, r) }

func (c *conn) closed(r *sql.Rows) {
	for i, o := range c.open {
		if o == r {
			c.open = append(c.open[:i], c.open[i+1:]...)
			return
		}
	}
}

func (c *conn) closeRows() {
	for _, r := range c.open {
		r.Close()
	}
	c.open = c.open[:0]
}

func (c *conn) close() {
	c.closeRows()
	for _, s := range c.stmts {
		s.Close()
	}
	c.sql.Close()
}
