package memory

import (
	"elowen/server/audit"
	"elowen/server/db"
	"elowen/server/vitality"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// row is a memory as stored. Instants are Unix milliseconds, 0 for never.
type row struct {
	id, revision     int64
	subject, body    string
	hash, lang, kind string
	importance       int
	confidence       float64
	category         int64 // 0: none
	filed            int64 // who decided the category: filedBy…
	source, status   string
	useCount         int64
	lastUsedAt       int64
	createdAt        int64
	updatedAt        int64
	reviewedAt       int64
	deletedAt        int64
	deletedWhy       string
	deletedBy        string       // the actor who moved it to the trash; empty: unknown
	deletedHow       string       // audit.ActionTrash, audit.ActionEvict or audit.ActionMerge; empty: unknown
	vector           *vectorLabel // what its vector is of; nil: it has none
	tokens           *tokenLabel  // nil: no Reranker has seen it
	orderKey         float64
	fadesAt          int64
	words            int64    // the body's length in the index of words
	owner            int64    // known of rows that were read, or inserted
	writer           int64    // whose it is in a pool: who wrote it, or the pool itself; 0: the owner's own
	sharing          *sharing // of a pool's, for who reads it
}

const columns = `id, revision, subject, body, body_hash, lang, kind, importance, confidence, COALESCE(category_id, 0), source, status,
	use_count, last_used_at, created_at, updated_at, reviewed_at, deleted_at, deleted_why, order_key, fades_at, words, deleted_by, deleted_how, owner_id, writer_id, category_by`

func (r *row) dest() []any {
	return []any{&r.id, &r.revision, &r.subject, &r.body, &r.hash, &r.lang, &r.kind, &r.importance, &r.confidence, &r.category, &r.source, &r.status,
		&r.useCount, &r.lastUsedAt, &r.createdAt, &r.updatedAt, &r.reviewedAt, &r.deletedAt, &r.deletedWhy, &r.orderKey, &r.fadesAt, &r.words,
		&r.deletedBy, &r.deletedHow, &r.owner, &r.writer, &r.filed}
}

func (r *row) vital() vitality.Memory {
	return vitality.Memory{
		Importance: r.importance, UseCount: r.useCount, CreatedAt: r.createdAt, LastUsedAt: r.lastUsedAt,
		Active: r.status == api.StatusActive,
	}
}

// rekey computes what is stored of the forecast.
func (r *row) rekey(p vitality.Policy) (err error) {
	if r.orderKey, err = vitality.OrderKey(r.vital(), p); err != nil {
		return err
	}
	r.fadesAt, err = vitality.FadesAt(r.vital(), p)
	return err
}

// wire is the memory as it is served at now.
func (r *row) wire(t Terms, now int64) (api.Memory, error) {
	m := api.Memory{
		ID: r.id, Revision: r.revision, Subject: r.subject, Body: r.body, Lang: r.lang, Kind: r.kind,
		Importance: r.importance, Confidence: r.confidence, Source: r.source, Status: r.status, UseCount: r.useCount,
		LastUsedAt: instant(r.lastUsedAt), CreatedAt: api.Time(r.createdAt), UpdatedAt: api.Time(r.updatedAt),
		ReviewedAt: instant(r.reviewedAt), DeletedAt: instant(r.deletedAt), DeletedWhy: r.deletedWhy, AsOf: api.Time(now), Indexed: r.indexed(), LateIndexed: r.lateIndexed(t.Tokens),
	}
	if s := r.sharing; s != nil {
		m.Shared, m.ProjectID, m.Writer = true, api.Ptr(s.project), s.names[s.writer].DisplayName
	}
	if r.category != 0 {
		m.CategoryID = api.Ptr(r.category)
	}
	if r.status == api.StatusDeleted {
		m.DeletedBy, m.DeletedWho = r.deleter()
		if m.DeletedBy == api.DeletedBySweep {
			m.DeletedWhy = audit.EvictedWhy(m.DeletedWhy)
		}
	}
	var err error
	if m.Vitality, err = vitality.Vitality(r.vital(), t.Policy, now); err != nil {
		return m, err
	}
	m.VitalityShown = vitality.Shown(m.Vitality, t.Policy.Floor)
	at, ok, err := vitality.EvictableAt(r.vital(), t.Policy, t.NextSweepAt)
	if ok {
		m.EvictableAt = instant(at)
	}
	return m, err
}

// deleter is who moved the memory to the trash: the kind, and in words.
func (r *row) deleter() (kind, words string) {
	w := audit.Who{Viewer: db.AccountID(r.owner)}
	if s := r.sharing; s != nil {
		w = audit.Who{Viewer: s.viewer, Shared: true, People: s.names}
	}
	return w.Deleter(r.deletedBy, r.deletedHow)
}

// instant is a stored instant on the wire; never (0) is null.
func instant(ms int64) *api.Time {
	if ms == 0 {
		return nil
	}
	return api.Ptr(api.Time(ms))
}

// nullable is a stored reference; 0 is NULL.
func nullable(id int64) any {
	if id == 0 {
		return nil
	}
	return id
}

var errNone = fault.New(fault.NotFound, "There is no such memory.")

// read is one memory of the account, else fault.NotFound.
func read(tx *db.Tx, owner db.AccountID, id int64) (row, error) {
	var r row
	err := tx.Row(`SELECT `+columns+` FROM memory WHERE id = ? AND owner_id = ?`, []any{id, int64(owner)}, r.dest()...)
	if fault.Is(err, fault.NotFound) {
		return r, errNone
	}
	if err != nil {
		return r, err
	}
	return r, labelled(tx, owner, &r)
}

// readMany reads memories of the account by id. Ids that are not there are
// missing from the result.
func readMany(tx *db.Tx, owner db.AccountID, ids []int64) (map[int64]*row, error) {
	found := make(map[int64]*row, len(ids))
	list := make([]*row, 0, len(ids))
	for in, args := range db.InParts(ids) {
		rows := tx.Query(`SELECT `+columns+` FROM memory WHERE id IN (`+in+`) AND owner_id = ?`, append(args, int64(owner))...)
		err := rows.Each(func() error {
			r := new(row)
			if err := rows.Scan(r.dest()...); err != nil {
				return err
			}
			found[r.id] = r
			list = append(list, r)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return found, labelled(tx, owner, list...)
}

// readAll reads memories of the account in the order given, each once. One that
// is not there is fault.NotFound: a change of many is for all of them or none.
func readAll(tx *db.Tx, owner db.AccountID, ids []int64) ([]*row, error) {
	found, err := readMany(tx, owner, ids)
	if err != nil {
		return nil, err
	}
	return inOrder(found, ids)
}

// current reads a memory that a change was meant for, and refuses the change
// with the memory as it is if it was changed meanwhile. ifRevision 0 is whatever
// it has.
func current(tx *db.Tx, owner db.AccountID, t Terms, id, ifRevision int64) (row, error) {
	r, err := reach(tx, owner, id)
	if err != nil || ifRevision == 0 || ifRevision == r.revision {
		return r, err
	}
	now, err := r.wire(t, tx.Now)
	if err != nil {
		return r, err
	}
	return r, &fault.Error{
		Kind: fault.Stale, Current: now,
		Detail: "The memory was changed meanwhile. Nothing was changed; look at it as it is now.",
	}
}

func defaultKind() string    { return setting.Get("memory.kind").DefaultText }
func defaultImportance() int { return setting.Int("memory.importance") }
