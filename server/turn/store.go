package turn

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"elowen/server/account"
	"elowen/server/db"
	"elowen/server/delivery"
	"elowen/server/journal"
	"elowen/server/memory"
	"elowen/server/recall"
	"elowen/server/tool"
	"elowen/shared/api"
	"elowen/shared/setting"
)

// Options are what a Store is made of.
type Options struct {
	Snapshots *journal.Snapshots
	Memories  *memory.Store
	Recall    recall.Retriever
	Models    Models
	Kit       tool.Kit // nil: no tools
	// Identify tells who an account is when a tool runs for it. Errors: Unauthenticated
	// where it may do nothing any more.
	Identify func(ctx context.Context, owner db.AccountID) (account.Identity, error)
	// Wake fires when the clock shows an instant, in Unix milliseconds. All waiting is by
	// it.
	Wake func(at int64) <-chan time.Time
	// Changed is told that something moved in a conversation which no log tells of: what
	// the model says, and what goes on. It must not wait. nil: nobody is.
	Changed func(owner db.AccountID, conversation int64)
	// Deleted is told that a conversation is gone, and its turn's context ended. nil: nobody
	// is.
	Deleted func(owner db.AccountID, conversation int64)
	Running int          // turns at a time; 0: as the setting table says
	Holder  string       // names this program among those that may run turns; empty: made up
	Log     *slog.Logger // nil is silent
}

// Store runs conversations. It is safe for concurrent use.
type Store struct {
	db       *db.DB
	o        Options
	contexts *delivery.Contexts

	ctx     context.Context // of all turns
	stop    context.CancelCauseFunc
	work    sync.WaitGroup
	running chan struct{} // has room for as many as may run at a time

	searching atomic.Int64 // searches for memories that run

	relaying struct { // answers on their way for other programs
		sync.Mutex
		by map[db.AccountID]int
	}

	mu       sync.Mutex
	closed   bool
	changed  func(owner db.AccountID, conversation int64)
	sessions map[int64]*session // by conversation
	uses     int64
}

// session is a conversation as far as this program has something of it that is not
// stored: its running turn, what it says, and recall that came too late for it.
type session struct {
	owner db.AccountID
	id    int64
	used  int64 // by Store.uses

	// Guarded by Store.mu:
	end  context.CancelCauseFunc // of the running turn; nil: none runs
	next *work                   // of a turn that was begun while one was about to end; nil: none was
	now  *speech                 // what goes on; nil: nothing

	// late is recall for messages whose block has not come in yet. Only the running turn
	// touches it.
	late []*retrieval
}

// Why a turn's context ended.
var (
	errStopped = errors.New("somebody stopped the turn")
	errClosing = errors.New("the server is going down")
	errLost    = errors.New("the turn is another program's")
)

// New makes the store over an open database. Close ends its turns.
func New(d *db.DB, o Options) *Store {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Holder == "" {
		o.Holder = db.NewSecret()
	}
	if o.Running == 0 {
		o.Running = setting.Int("turn.running")
	}
	s := &Store{db: d, o: o, contexts: delivery.NewContexts(o.Snapshots), running: make(chan struct{}, o.Running), sessions: map[int64]*session{}, changed: o.Changed}
	s.relaying.by = map[db.AccountID]int{}
	s.ctx, s.stop = context.WithCancelCause(context.Background())
	return s
}

// OnChange is Options.Changed, for one that is made after the store.
func (s *Store) OnChange(changed func(owner db.AccountID, conversation int64)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changed = changed
}

// Close ends all turns: what was said is kept, and they can be tried again.
func (s *Store) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.stop(errClosing)
	s.work.Wait()
}

// Recover sees that no turn counts as running that no program runs: at the start of a
// program. alone says that no other program runs turns on this store; else those whose
// lease holds are left alone. It tells how many there were.
func (s *Store) Recover(ctx context.Context, alone bool) (n int, err error) {
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		until := tx.Now
		if alone {
			until = 1<<62 - 1
		}
		var ids, owners []int64
		rows := tx.Query(`SELECT conversation_id, owner_id FROM chat WHERE state = ? AND lease_until <= ?`, api.ChatRunning, until)
		if err := rows.Each(func() error {
			var id, owner int64
			err := rows.Scan(&id, &owner)
			ids, owners = append(ids, id), append(owners, owner)
			return err
		}); err != nil {
			return err
		}
		for i, id := range ids {
			if _, err := tx.Exec(`UPDATE chat SET state = ?, holder = '', lease_until = 0, stop_asked = 0 WHERE conversation_id = ? AND owner_id = ?`, api.ChatInterrupted, id, owners[i]); err != nil {
				return err
			}
			tx.Emit(db.AccountID(owners[i]), db.NounConversation, id)
		}
		n = len(ids)
		return nil
	})
	return n, err
}

// session is a conversation's place, made where there is none. s.mu is held.
func (s *Store) session(owner db.AccountID, id int64) *session {
	ss := s.sessions[id]
	if ss == nil {
		ss = &session{owner: owner, id: id}
		s.sessions[id] = ss
	}
	s.uses++
	ss.used = s.uses
	return ss
}

// idleMost is how many conversations without a running turn are kept for the recall that
// came too late for them.
const idleMost = 1_000

// dispose forgets a session that holds nothing, and the longest unused beyond so many.
// s.mu is held.
func (s *Store) dispose(done *session) {
	if done.end == nil && len(done.late) == 0 {
		delete(s.sessions, done.id)
	}
	for len(s.sessions) > idleMost+s.o.Running {
		var oldest *session
		for _, ss := range s.sessions {
			if ss.end == nil && (oldest == nil || ss.used < oldest.used) {
				oldest = ss
			}
		}
		if oldest == nil {
			return
		}
		oldest.drop()
		delete(s.sessions, oldest.id)
	}
}

// drop gives up recall that nobody will take in.
func (ss *session) drop() {
	for _, r := range ss.late {
		r.stop()
	}
	ss.late = nil
}

// Forget lets go what is held of an account that is erased, and ends its turns.
func (s *Store) Forget(owner db.AccountID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, ss := range s.sessions {
		switch {
		case ss.owner != owner:
		case ss.end != nil:
			ss.end(errStopped)
		default:
			ss.drop()
			delete(s.sessions, id)
		}
	}
	s.o.Snapshots.Forget(owner)
}
