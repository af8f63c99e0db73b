package transfer

import (
	"context"
	"io"

	"elowen/server/db"
	"elowen/shared/api"
)

// Export writes an account's categories and memories as JSONL.
func (s *Store) Export(ctx context.Context, owner db.AccountID, w io.Writer) (Written, error) {
	panic("TODO")
}

// ExportAll writes those of every account, each line with its account's name.
func (s *Store) ExportAll(ctx context.Context, w io.Writer) error { panic("TODO") }

// Import reads JSONL into an account, whatever account the lines name.
func (s *Store) Import(ctx context.Context, owner db.AccountID, r io.Reader, o Options) (api.ImportReport, error) {
	panic("TODO")
}

// ImportAll reads JSONL into the accounts that its lines name. Names without an
// account get one, locked until a password is set.
func (s *Store) ImportAll(ctx context.Context, r io.Reader, o Options) (api.ImportReport, error) {
	panic("TODO")
}

// ElowenOptions say how to read the older system's file.
type ElowenOptions struct {
	Map           map[string]string // its account names to ours; others are matched by name
	Only          string            // one account of ours; empty for all
	ReplacePolicy bool              // take its retention policy even where ours was set
	DryRun        bool
	Progress      func(done, total int64) // in memories
}

// ImportElowen reads the older system's SQLite file, in one decision.
func (s *Store) ImportElowen(ctx context.Context, file string, o ElowenOptions) (api.ImportReport, error) {
	panic("TODO")
}

// EraseAccount removes what the account has here.
func (s *Store) EraseAccount(tx *db.Tx, owner db.AccountID) error {
	_, err := tx.Exec(`DELETE FROM import_source WHERE owner_id = ?`, int64(owner))
	return err
}
