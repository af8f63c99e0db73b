package backup

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"elowen/server/account"
	"elowen/server/category"
	"elowen/server/db"
	"elowen/server/memory"
	"elowen/server/retention"
	"elowen/server/transcript"
	"elowen/shared/fault"
)

// Report is what a check found.
type Report struct {
	File     string   `json:"file"`
	Schema   int      `json:"schema"`
	Bytes    int64    `json:"bytes"`
	Accounts int      `json:"accounts"` // these three are 0 where Schema is an older one than the program's
	Memories int      `json:"memories"`
	Events   int      `json:"events"`
	Faults   []string `json:"faults"` // one line each; none is well
}

// String is what is there, in words.
func (r Report) String() string {
	if r.Schema < db.SchemaVersion() { // its rows were not looked at: no count is known
		return fmt.Sprintf("its schema is %d, an older one than %d, and its rows are looked at once it is brought up to date", r.Schema, db.SchemaVersion())
	}
	return fmt.Sprintf("%s, %s, %s", count(r.Accounts, "account", "accounts"), count(r.Memories, "memory", "memories"), count(r.Events, "event", "events"))
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Verify checks a file of ours that nobody is writing, without changing anything
// of it or beside it. A file that is no elowen database at all is an error; one
// with faults is a report.
func Verify(ctx context.Context, file string, clock db.Clock) (Report, error) {
	d, err := db.OpenCopy(ctx, file, clock)
	if err != nil {
		return Report{File: file, Faults: []string{}}, err
	}
	defer d.Close()
	return Check(ctx, d)
}

// Check checks an open store, as it is at one instant.
func Check(ctx context.Context, d *db.DB) (Report, error) {
	r := Report{File: d.File(), Faults: []string{}}
	if info, err := os.Stat(d.File()); err == nil {
		r.Bytes = info.Size()
	}
	err := d.View(ctx, func(tx *db.Tx) error {
		var err error
		if r.Schema, err = tx.Schema(); err != nil {
			return err
		}
		found, err := tx.Integrity(false)
		r.Faults = append(r.Faults, found...)
		if err != nil || len(found) > 0 {
			return err // rows of broken pages tell nothing
		}
		if r.Schema < db.SchemaVersion() {
			return nil // its rows are looked at once they are brought up to date
		}
		return r.rows(tx)
	})
	if fault.Is(err, fault.Corrupt) { // so broken that it cannot even be read
		detail := fault.ProblemOf(err).Detail
		if detail == db.Damaged {
			detail = "it is damaged, and parts of it cannot be read"
		}
		r.Faults = append(r.Faults, detail)
		err = nil
	}
	return r, err
}

// rows checks what the program promises of the rows.
func (r *Report) rows(tx *db.Tx) error {
	found, err := tx.CheckChanges()
	r.Faults = append(r.Faults, found...)
	if err != nil {
		return err
	}
	owners, err := account.Owners(tx)
	if err != nil {
		return err
	}
	people, err := account.List(tx)
	if err != nil {
		return err
	}
	r.Accounts = len(people)
	terms, err := retention.NewSettings().Terms(tx)
	if err != nil {
		return err
	}
	categories := category.New(nil, nil)
	for _, owner := range owners {
		names, err := categories.Names(tx, owner)
		if err != nil {
			return err
		}
		c, err := memory.Check(tx, owner, terms, names)
		if err != nil {
			return err
		}
		more, err := transcript.Check(tx, owner)
		if err != nil {
			return err
		}
		c.Faults = append(c.Faults, more...)
		r.Memories += c.Memories
		r.Events += c.Events
		for _, f := range c.Faults {
			r.Faults = append(r.Faults, fmt.Sprintf("account %d: %s", owner, f))
		}
	}
	return nil
}

// Vacuum compacts the store of a data directory that nobody has open, and answers
// its size before and after.
func Vacuum(ctx context.Context, dir string, clock db.Clock) (before, after int64, err error) {
	file := filepath.Join(dir, db.FileName)
	if before, err = fileSize(file); err != nil {
		return 0, 0, fault.Newf(fault.NotFound, "There is no elowen database in %s. Name its directory with --data.", dir)
	}
	d, err := db.Open(ctx, db.Config{Dir: dir, NoCreate: true, Clock: clock})
	if err != nil {
		return 0, 0, err
	}
	err = d.Vacuum(ctx)
	if closed := d.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return 0, 0, err
	}
	after, err = fileSize(file)
	return before, after, err
}

func fileSize(file string) (int64, error) {
	info, err := os.Stat(file)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}
