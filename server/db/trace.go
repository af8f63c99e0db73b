package db

// Statement is one that a transaction ran: its text as the store prepared it, before
// the engine's own rewriting, and its arguments.
type Statement struct {
	Query string
	Args  []any
}

// Trace hands every statement of transactions to f as they run it, until f is replaced;
// nil ends it. f may be called on several goroutines. It is there so that tests can ask
// for the plans of what is really run.
func (d *DB) Trace(f func(Statement)) {
	if f == nil {
		d.tracer.Store(nil)
		return
	}
	d.tracer.Store(&f)
}

func (tx *Tx) traced(query string, args []any) {
	if f := tx.db.tracer.Load(); f != nil {
		(*f)(Statement{query, args})
	}
}
