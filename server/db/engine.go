package db

import (
	"context"
	"log/slog"
)

// engine is what the two databases do each in their own way.
type engine interface {
	name() string
	rewrite(query string) string // the placeholders
	translate(err error) error   // the driver's codes to fault kinds; nil stays nil
	prepareWriter(context.Context, *conn) error
	prepareReader(context.Context, *conn) error
	begin(*conn) error // the writer's transaction, with the lock that makes it the only one
	beginRead() string
	inTransaction(*conn) bool                      // whether the writer's transaction still stands after an error
	sound(*conn) bool                              // whether it stands and can be committed
	version(context.Context, *conn) (int64, error) // a number that moves when anyone commits
	erase(*conn, *slog.Logger) bool                // empty what still holds overwritten content; false: try again
	schemaVersion(context.Context, *conn) (int, error)
	setSchemaVersion(context.Context, *conn, int) error
	gather(query string) string // a query's column v as one text, separated by commas
	tokens() []string           // old, new pairs for the migrations
}

// Engine is the engine's name, "sqlite" or "postgres", for those few places that
// have a file for each.
func (d *DB) Engine() string { return d.engine.name() }

// Engine is DB.Engine.
func (tx *Tx) Engine() string { return tx.db.engine.name() }
