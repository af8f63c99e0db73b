package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"elowen/server/account"
	"elowen/server/calibration"
	"elowen/server/category"
	"elowen/server/db"
	"elowen/server/delivery"
	"elowen/server/embedding"
	"elowen/server/job"
	"elowen/server/late"
	"elowen/server/mcpd"
	"elowen/server/memory"
	"elowen/server/model"
	"elowen/server/output"
	"elowen/server/project"
	"elowen/server/recall"
	"elowen/server/remote"
	"elowen/server/retention"
	"elowen/server/secret"
	"elowen/server/transcript"
	"elowen/server/transfer"
	"elowen/server/turn"
	"elowen/server/vector"
	"elowen/server/words"
	"elowen/shared/fault"
)

// stores is an open data directory: every noun, put together.
type stores struct {
	db         *db.DB
	accounts   *account.Store
	projects   *project.Store
	categories *category.Store
	memories   *memory.Store
	settings   *retention.Settings
	retention  *retention.Store
	transfer   *transfer.Store
	embedding  *embedding.Service
	models     *model.Store
	local      model.Local
	indexes    *vector.Indexes
	late       *late.Reranker // nil: none
	frequent   func() words.Background
	recall     *recall.Store
	measure    *calibration.Store
	delivery   *delivery.Store
	jobs       *job.Store    // nil: nobody runs maintenance jobs here
	figures    *mcpd.Figures // nil: nobody counts what agents do
	log        *slog.Logger
	use        *lock
	dir        string // the data directory

	transcripts *transcript.Store
	turns       *turn.Store // nil: no conversations are held here
	outputs     *output.Store
	servers     *remote.Store
}

// share takes the lock of those who have the store open. It waits a while for one
// who replaces the store.
func share(ctx context.Context, dir string) (*lock, error) {
	use, err := acquire(dir, useLock, false)
	for began := time.Now(); errors.Is(err, errHeld) && time.Since(began) < startWait && ctx.Err() == nil; {
		time.Sleep(50 * time.Millisecond)
		use, err = acquire(dir, useLock, false)
	}
	if errors.Is(err, errHeld) {
		return nil, fault.Newf(fault.Unavailable, "Another elowen%s replaces the store of %s at this moment. Try again when it is done.", holder(dir, useLock), dir)
	}
	return use, err
}

// openStores opens a data directory, making it where it isn't there.
func openStores(ctx context.Context, s *System, dir string, log *slog.Logger) (*stores, error) {
	use, err := share(ctx, dir)
	if err != nil {
		return nil, err
	}
	if err := emptied(dir); err != nil {
		use.release()
		return nil, err
	}
	d, err := db.Open(ctx, db.Config{Dir: dir, Clock: s.Clock, Log: log})
	if err != nil {
		use.release()
		return nil, err
	}
	st := put(d, s, dir, log)
	st.use = use
	return st, nil
}

// emptied refuses a directory whose database is an empty file while there are
// backups of it: whoever emptied it, a new store in its place would hide the loss,
// and the daily backups of that one would push the good ones out.
func emptied(dir string) error {
	file := filepath.Join(dir, db.FileName)
	info, err := os.Stat(file)
	if err != nil || info.Size() != 0 || !info.Mode().IsRegular() {
		return nil // absent, or db.Open judges it
	}
	if log, err := os.Stat(file + "-wal"); err == nil && log.Size() > 0 {
		return nil // all of it is still there
	}
	if backups, err := os.ReadDir(filepath.Join(dir, backupsDir)); err != nil || len(backups) == 0 {
		return nil // a first start that was cut off
	}
	return fault.Newf(fault.Corrupt, "%s is empty, and there are backups in %s. Bring one back with `elowen admin restore FILE`; to begin anew, remove the empty file.", file, filepath.Join(dir, backupsDir))
}

// put puts the nouns together over an open store.
func put(d *db.DB, s *System, dir string, log *slog.Logger) *stores {
	st := &stores{db: d, log: log, dir: dir, outputs: output.New(dir, log), settings: retention.NewSettings(), embedding: embedding.NewService(), local: s.builtIn(dir)}
	st.projects = project.New(d, project.Options{Resolve: project.Canonical, Erase: st.erasePool})
	st.categories = category.New(d, memory.CountByCategory)
	st.accounts = account.New(d, account.Options{
		Hash: s.Hash, OnCreate: st.categories.Seed, OwnsCategory: st.categories.Placeable, Terminal: s.terminal(dir), Log: log,
	})
	st.memories = memory.New(d, st.categories, st.settings)
	st.retention = retention.New(d, st.settings, st.memories, log)
	st.transfer = transfer.New(d, transfer.Parts{
		Accounts: st.accounts, Projects: st.projects, Categories: st.categories, Memories: st.memories,
		Retention: st.retention, Settings: st.settings, Log: log,
	})
	st.models = model.New(d, model.Options{
		Box: secret.New(secret.File(dir, s.Env)), Service: st.embedding, Local: st.local, Others: st.retention.SettingsIn, Log: log,
	})
	st.servers = remote.New(d, remote.Options{
		Box: secret.New(secret.File(dir, s.Env)), Version: version, Dir: dir, Log: log,
		Private: func(ctx context.Context) (bool, error) {
			r, err := st.runtime(ctx)
			return r.PrivateServers, err
		},
	})
	st.measure = calibration.New(d, st.memories)
	st.indexes = vector.New(st.memories, 0)
	st.frequent = background(st.local, log)
	options := recall.Options{
		Memories: st.memories, Indexes: st.indexes, Service: st.embedding, Background: st.frequent, Settings: st.retention.SettingsIn, Log: log,
	}
	if st.late = reranker(st.local, log); st.late != nil {
		options.Late = recall.Tokens(st.late, st.frequent)
		st.memories.SetTokens(st.late.Hash())
	}
	st.recall = recall.New(d, options)
	st.memories.SetMeaning(st.recall)
	st.delivery = delivery.New(d, st.memories, st.categories)
	st.transcripts = transcript.New(d, transcript.Options{Service: st.embedding, Late: st.late, Background: st.frequent, Log: log})
	return st
}

func (st *stores) close() error {
	st.servers.Close()
	st.models.Flush(context.Background()) // what models cost in the last moment
	err := st.db.Close()
	st.use.release()
	return err
}

// with runs a command on the data directory's stores: those of the server that
// runs it, or opened for it.
func (r *run) with(fn func(*stores) error) error {
	if r.inside != nil {
		return fn(r.inside)
	}
	st, err := openStores(r.ctx, r.System, r.data, slog.New(slog.NewTextHandler(r.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})))
	if err != nil {
		return err
	}
	err = fn(st)
	if closed := st.close(); err == nil {
		err = closed
	}
	return err
}

// absent tells whether there is no store in the data directory.
func (r *run) absent() bool {
	if r.inside != nil {
		return false
	}
	_, err := os.Stat(filepath.Join(r.data, db.FileName))
	return errors.Is(err, fs.ErrNotExist)
}

// reading is with for commands that show what is there. Where nothing was, a store is
// made, as by any admin command; but they say so, since its emptiness would read as an
// answer about another directory.
func (r *run) reading(fn func(*stores) error) error {
	fresh := r.absent()
	return r.with(func(st *stores) error {
		if fresh && !r.json {
			fmt.Fprintf(r.Stderr, "elowen: There was no database in %s; a new one was made, and it is empty.\n", visible(r.data))
		}
		return fn(st)
	})
}

// withExisting is with for commands that copy, export or check what is there: a
// directory without a store is fault.NotFound, since of an empty one made in its place
// they would make something that looks whole.
func (r *run) withExisting(fn func(*stores) error) error {
	if r.absent() {
		return fault.Newf(fault.NotFound, "There is no elowen database in %s. Name its directory with --data.", r.data)
	}
	return r.with(fn)
}

// discard is a log that nobody reads.
var discard = slog.New(slog.DiscardHandler)
