package job

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"elowen/server/db"
	"elowen/server/validation"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// Progress is how far a job is.
type Progress struct {
	Total, Succeeded, Failed int
	Place                    int64  // in the operation's own terms
	Note                     string // what it waits for; empty: nothing
}

// Work is an operation.
type Work interface {
	// Begin prepares a job in the transaction that makes it. Errors refuse the start;
	// Unavailable says what is missing.
	Begin(tx *db.Tx, owner db.AccountID, mode string) (Progress, error)
	// Step does a piece of it, outside of any transaction, and tells how far it is then.
	// done, that this was all. An error ends the job; what was done is counted.
	Step(ctx context.Context, owner db.AccountID, mode string, at Progress) (now Progress, done bool, err error)
}

// Options are what a Store is made of.
type Options struct {
	Works map[string]Work // by operation
	Log   *slog.Logger    // nil is silent
}

// Store keeps jobs, and runs them while Run does. It is safe for concurrent use.
type Store struct {
	db *db.DB
	o  Options

	mu      sync.Mutex
	news    chan struct{}
	running map[int64]context.CancelFunc
}

// New makes the store over an open database.
func New(d *db.DB, o Options) *Store {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return &Store{db: d, o: o, news: make(chan struct{}, 1), running: map[int64]context.CancelFunc{}}
}

// row is a job as it is stored.
type row struct {
	id, owner       int64
	operation, mode string
	status, failure string
	processed       int
	Progress
	ui                     int
	finished, acknowledged int64 // Unix milliseconds; 0: not
}

const columns = `id, owner_id, operation, mode, status, error, processed, total, succeeded, failed, place, ui_initiated, finished_at, acknowledged_at`

func (r *row) dest() []any {
	return []any{&r.id, &r.owner, &r.operation, &r.mode, &r.status, &r.failure, &r.processed, &r.Total, &r.Succeeded, &r.Failed, &r.Place, &r.ui, &r.finished, &r.acknowledged}
}

func (r *row) wire() api.Maintenance {
	m := api.Maintenance{
		ID: r.id, Operation: r.operation, Status: r.status, Total: r.Total, Processed: r.processed, Succeeded: r.Succeeded, Failed: r.Failed,
		Error: r.failure, UIInitiated: r.ui == 1,
	}
	if r.finished != 0 {
		m.FinishedAt = api.Ptr(api.Time(r.finished))
	}
	if r.acknowledged != 0 {
		m.AcknowledgedAt = api.Ptr(api.Time(r.acknowledged))
	}
	return m
}

var errNone = fault.New(fault.NotFound, "There is no such maintenance job.")

// scan reads rows of a query with an owner, or of all owners.
func scan(rows *db.Rows) ([]row, error) {
	return db.List(rows, (*row).dest)
}

func read(tx *db.Tx, owner db.AccountID, id int64) (row, error) {
	var r row
	err := tx.Row(`SELECT `+columns+` FROM maintenance WHERE id = ? AND owner_id = ?`, []any{id, int64(owner)}, r.dest()...)
	if fault.Is(err, fault.NotFound) {
		err = errNone
	}
	return r, err
}

// kept is the instant before which receipts are over.
func kept(now int64) int64 {
	return now - int64(setting.Int("maintenance.hours"))*time.Hour.Milliseconds()
}

// List are the account's newest jobs and receipts, the newest first.
func (s *Store) List(ctx context.Context, owner db.AccountID) (list []api.Maintenance, err error) {
	err = s.db.View(ctx, func(tx *db.Tx) error {
		list, err = s.ListIn(tx, owner)
		return err
	})
	return list, err
}

// ListIn is List inside a transaction.
func (s *Store) ListIn(tx *db.Tx, owner db.AccountID) ([]api.Maintenance, error) {
	rows, err := scan(tx.Query(`SELECT `+columns+` FROM maintenance WHERE owner_id = ? AND (finished_at = 0 OR finished_at > ?) ORDER BY id DESC LIMIT ?`,
		int64(owner), kept(tx.Now), setting.Int("maintenance.shown")))
	list := make([]api.Maintenance, len(rows))
	for i := range rows {
		list[i] = rows[i].wire()
	}
	return list, err
}

// Get is one of the account's jobs, else fault.NotFound.
func (s *Store) Get(ctx context.Context, owner db.AccountID, id int64) (m api.Maintenance, err error) {
	err = s.db.View(ctx, func(tx *db.Tx) error {
		r, err := read(tx, owner, id)
		m = r.wire()
		return err
	})
	return m, err
}

// Start makes a job of an operation, or answers the one that runs. One that was
// interrupted, or failed, goes on where it was. ui tells that somebody did it in the
// app. Errors: Invalid; Unavailable where something is missing for it.
func (s *Store) Start(ctx context.Context, owner db.AccountID, in api.MaintenanceStart, ui bool) (api.Maintenance, error) {
	if err := validation.Struct(in); err != nil {
		return api.Maintenance{}, err
	}
	work, ok := s.o.Works[in.Operation]
	if !ok {
		return api.Maintenance{}, fault.Newf(fault.Unavailable, "This program does no %s.", in.Operation)
	}
	switch {
	case in.Operation == api.OperationRecategorize && in.Mode == "":
		in.Mode = api.RecategorizeUncategorized
	case in.Operation != api.OperationRecategorize && in.Mode != "":
		return api.Maintenance{}, fault.BadField("mode", "excluded", in.Operation, "Only recategorize has modes.")
	}
	out, err := db.Do(ctx, s.db, func(tx *db.Tx) (api.Maintenance, error) {
		r, err := s.start(tx, owner, work, in, ui)
		return r.wire(), err
	})
	if err == nil {
		s.wake()
	}
	return out, err
}

func (s *Store) start(tx *db.Tx, owner db.AccountID, work Work, in api.MaintenanceStart, ui bool) (row, error) {
	var r row
	if _, err := tx.Exec(`DELETE FROM maintenance WHERE owner_id = ? AND finished_at <> 0 AND finished_at <= ?`, int64(owner), kept(tx.Now)); err != nil {
		return r, err
	}
	asked := 0
	if ui {
		asked = 1
	}
	id, err := tx.NewID(owner, "maintenance")
	if err != nil {
		return r, err
	}
	// The unique index decides which of two starts is the first one.
	n, err := tx.Exec(`INSERT INTO maintenance (id, owner_id, operation, mode, status, total, processed, succeeded, failed, error, place, ui_initiated, started_at)
		VALUES (?, ?, ?, ?, ?, 0, 0, 0, 0, '', 0, ?, ?) ON CONFLICT (owner_id, operation) WHERE status = 'running' DO NOTHING`,
		id, int64(owner), in.Operation, in.Mode, api.JobRunning, asked, tx.Now)
	if err != nil {
		return r, err
	}
	if n == 0 {
		err = tx.Row(`SELECT `+columns+` FROM maintenance WHERE owner_id = ? AND operation = ? AND status = ?`,
			[]any{int64(owner), in.Operation, api.JobRunning}, r.dest()...)
		return r, err
	}
	at, resumed, err := broken(tx, owner, in, id)
	if err == nil && !resumed {
		at, err = work.Begin(tx, owner, in.Mode)
	}
	if err != nil {
		return r, err
	}
	at.Note = ""
	if err := put(tx, owner, id, at); err != nil {
		return r, err
	}
	return read(tx, owner, id)
}

// broken is where the operation's last job was cut off; ok is false where it was not.
func broken(tx *db.Tx, owner db.AccountID, in api.MaintenanceStart, before int64) (at Progress, ok bool, err error) {
	var r row
	err = tx.Row(`SELECT `+columns+` FROM maintenance WHERE owner_id = ? AND operation = ? AND id < ? ORDER BY id DESC LIMIT 1`,
		[]any{int64(owner), in.Operation, before}, r.dest()...)
	if fault.Is(err, fault.NotFound) {
		return at, false, nil
	}
	cut := r.status == api.JobInterrupted || r.status == api.JobFailed
	return r.Progress, err == nil && cut && r.mode == in.Mode && r.Place != 0, err
}

// put writes how far a running job is. Errors: NotFound where it doesn't run any more.
func put(tx *db.Tx, owner db.AccountID, id int64, at Progress) error {
	tx.Emit(owner, db.NounJob, id)
	return tx.Must(`UPDATE maintenance SET total = ?, processed = ?, succeeded = ?, failed = ?, place = ?, error = ? WHERE id = ? AND owner_id = ? AND status = ?`,
		at.Total, at.Succeeded+at.Failed, at.Succeeded, at.Failed, at.Place, at.Note, id, int64(owner), api.JobRunning)
}

// end ends a running job. It tells whether it ran.
func end(tx *db.Tx, owner db.AccountID, id int64, status, why string) (bool, error) {
	n, err := tx.Exec(`UPDATE maintenance SET status = ?, error = ?, finished_at = ? WHERE id = ? AND owner_id = ? AND status = ?`,
		status, why, tx.Now, id, int64(owner), api.JobRunning)
	if n > 0 {
		tx.Emit(owner, db.NounJob, id)
	}
	return n > 0, err
}

// Stop ends one of the account's jobs; one that has ended stays as it is. Errors:
// NotFound.
func (s *Store) Stop(ctx context.Context, owner db.AccountID, id int64) (api.Maintenance, error) {
	m, err := db.Do(ctx, s.db, func(tx *db.Tx) (api.Maintenance, error) {
		if _, err := end(tx, owner, id, api.JobStopped, ""); err != nil {
			return api.Maintenance{}, err
		}
		r, err := read(tx, owner, id)
		return r.wire(), err
	})
	if err == nil {
		s.mu.Lock()
		if cancel := s.running[id]; cancel != nil {
			cancel()
		}
		s.mu.Unlock()
	}
	return m, err
}

// Acknowledge notes that somebody has seen the end of one of the account's jobs; the
// first time counts. Errors: NotFound; Invalid while it runs.
func (s *Store) Acknowledge(ctx context.Context, owner db.AccountID, id int64) (api.Maintenance, error) {
	return db.Do(ctx, s.db, func(tx *db.Tx) (api.Maintenance, error) {
		r, err := read(tx, owner, id)
		switch {
		case err != nil:
			return api.Maintenance{}, err
		case r.status == api.JobRunning:
			return api.Maintenance{}, fault.New(fault.Invalid, "It still runs. Stop it, or wait for its end.")
		case r.acknowledged == 0:
			r.acknowledged = tx.Now
			tx.Emit(owner, db.NounJob, id)
			err = tx.Must(`UPDATE maintenance SET acknowledged_at = ? WHERE id = ? AND owner_id = ?`, tx.Now, id, int64(owner))
		}
		return r.wire(), err
	})
}

// Interrupt ends the jobs that were running when a program ended. It is for the one
// program that runs jobs, at its start.
func (s *Store) Interrupt(ctx context.Context) (n int, err error) {
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		list, err := scan(tx.Query(`SELECT `+columns+` FROM maintenance WHERE status = ? ORDER BY id`, api.JobRunning))
		if err != nil {
			return err
		}
		n = len(list)
		for _, r := range list {
			if _, err := end(tx, db.AccountID(r.owner), r.id, api.JobInterrupted, "The server ended meanwhile. Start it again, and it goes on where it was."); err != nil {
				return err
			}
		}
		return nil
	})
	return n, err
}

// EraseAccount removes everything of the account's here.
func EraseAccount(tx *db.Tx, owner db.AccountID) error {
	_, err := tx.Exec(`DELETE FROM maintenance WHERE owner_id = ?`, int64(owner))
	return err
}
