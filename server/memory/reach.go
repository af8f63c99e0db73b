package memory

import (
	"fmt"
	"slices"

	"elowen/server/account"
	"elowen/server/audit"
	"elowen/server/category"
	"elowen/server/db"
	"elowen/server/project"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// Who asks and where a memory is are two things. A method that is given an account
// and the id of a memory finds it among the account's own, or in a pool that the
// account may read at that very moment: the decision is part of the transaction, and
// what follows goes by the owner that the row has.

// sharing is what is known of a memory of a pool for one who reads it.
type sharing struct {
	viewer  db.AccountID
	project int64
	writer  db.AccountID
	names   map[db.AccountID]account.Named // of writers
}

// reach is one memory that the account may read, else fault.NotFound.
func reach(tx *db.Tx, who db.AccountID, id int64) (row, error) {
	r, err := read(tx, who, id)
	if !fault.Is(err, fault.NotFound) {
		return r, err
	}
	found, err := reachShared(tx, who, []int64{id})
	if err != nil {
		return row{}, err
	}
	if m := found[id]; m != nil {
		return *m, nil
	}
	return row{}, errNone
}

// reachMany are the memories with the ids that the account may read. Others are
// missing from the result.
func reachMany(tx *db.Tx, who db.AccountID, ids []int64) (map[int64]*row, error) {
	found, err := readMany(tx, who, ids)
	if err != nil {
		return nil, err
	}
	var missing []int64
	for _, id := range ids {
		if found[id] == nil {
			missing = append(missing, id)
		}
	}
	if len(missing) == 0 {
		return found, nil
	}
	shared, err := reachShared(tx, who, missing)
	for id, r := range shared {
		found[id] = r
	}
	return found, err
}

// reachShared are those of the memories that are in pools that the account may read.
func reachShared(tx *db.Tx, who db.AccountID, ids []int64) (map[int64]*row, error) {
	pools, err := project.Pools(tx, who)
	if err != nil || len(pools) == 0 {
		return nil, err
	}
	all := map[int64]*row{}
	for _, p := range pools {
		found, err := readMany(tx, p.Owner, ids)
		if err != nil {
			return nil, err
		}
		list := make([]*row, 0, len(found))
		for id, r := range found {
			all[id] = r
			list = append(list, r)
		}
		if err := attribute(tx, who, p.Project, list...); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// attribute says of rows of a project's pool what the one who reads them sees of that.
func attribute(tx *db.Tx, viewer db.AccountID, in int64, list ...*row) error {
	var ids []db.AccountID
	for _, r := range list {
		for _, id := range []db.AccountID{db.AccountID(r.writer), audit.Account(r.deletedBy)} {
			if id != 0 && !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
	}
	names, err := account.NamesOf(tx, ids)
	if err != nil {
		return err
	}
	for _, r := range list {
		r.sharing = &sharing{viewer: viewer, project: in, writer: db.AccountID(r.writer), names: names}
	}
	return nil
}

// reachAll is readAll of what the account may read.
func reachAll(tx *db.Tx, who db.AccountID, ids []int64) ([]*row, error) {
	found, err := reachMany(tx, who, ids)
	if err != nil {
		return nil, err
	}
	return inOrder(found, ids)
}

// inOrder are found rows in the order of ids, each once. One that is missing is
// fault.NotFound: a change of many is for all of them or none.
func inOrder(found map[int64]*row, ids []int64) ([]*row, error) {
	list := make([]*row, 0, len(ids))
	for _, id := range ids {
		r, ok := found[id]
		if !ok {
			return nil, fault.New(fault.NotFound, fmt.Sprintf("There is no memory %d. Nothing was changed.", id))
		}
		if r != nil {
			list = append(list, r)
			found[id] = nil
		}
	}
	return list, nil
}

// enter makes a row's owner the one that a batch writes for, and its writer the one
// whom its events count for. Every change of a row that was read begins with it.
func (b *batch) enter(r *row) error {
	b.writer = r.writer
	return b.moveTo(db.AccountID(r.owner))
}

// moveTo writes what was collected for another owner before.
func (b *batch) moveTo(owner db.AccountID) error {
	if b.owner == owner {
		return nil
	}
	err := b.flush()
	b.owner = owner
	return err
}

// Places are where the memories that an account may read are beside its own rows, as
// it is in a transaction.
type Places struct {
	who   db.AccountID
	bound map[int64]int64 // the projects of its own categories that are bound to one
	pools []project.Pool
}

// Places finds them.
func (s *Store) Places(tx *db.Tx, who db.AccountID) (Places, error) {
	p := Places{who: who}
	var err error
	if p.pools, err = project.Pools(tx, who); err != nil {
		return p, err
	}
	p.bound, err = category.Bound(tx, who)
	return p, err
}

// Pools are the pools that the account may read.
func (p Places) Pools() []project.Pool { return p.pools }

// Same tells whether two are the same.
func (p Places) Same(o Places) bool {
	if p.who != o.who || !slices.Equal(p.pools, o.pools) || len(p.bound) != len(o.bound) {
		return false
	}
	for id, in := range p.bound {
		if o.bound[id] != in {
			return false
		}
	}
	return true
}

// Home is whose rows a query is about: the account's own, or a pool's; 0 is nobody's.
func (p Places) Home(q api.MemoryQuery) db.AccountID {
	if !q.Pool {
		return p.who
	}
	for _, pool := range p.pools {
		if pool.Project == q.ProjectID {
			return pool.Owner
		}
	}
	return 0
}

// categories are the account's own that are bound to a project, ascending.
func (p Places) categories(in int64) []int64 {
	var ids []int64
	for id, bound := range p.bound {
		if bound == in {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// place is where an add goes: to the account itself, or to the pool of a project, which
// is made where nothing was shared yet.
func place(tx *db.Tx, who db.AccountID, in api.MemoryAdd) (home db.AccountID, err error) {
	switch {
	case in.Shared && in.ProjectID == 0:
		return 0, fault.BadField("projectId", "required", "", "What is shared needs a project.")
	case in.Shared:
		pool, err := project.Open(tx, who, in.ProjectID)
		return pool.Owner, err
	case in.ProjectID != 0:
		_, err := project.Used(tx, who, in.ProjectID)
		return who, err
	}
	return who, nil
}

// Held is how many memories an owner has, of whatever status.
func Held(tx *db.Tx, owner db.AccountID) (n int, err error) {
	err = tx.Row(`SELECT COUNT(*) FROM memory WHERE owner_id = ?`, []any{int64(owner)}, &n)
	return n, err
}

// handOver gives what an account wrote into pools to the pools themselves, as the
// account is about to be no more.
func handOver(tx *db.Tx, writer db.AccountID) error {
	for {
		list, err := readSome(tx, `writer_id = ? AND writer_id <> 0 AND writer_id <> owner_id`, []any{int64(writer)}, bulkPage)
		if err != nil || len(list) == 0 {
			return err
		}
		for _, r := range list {
			owner := db.AccountID(r.owner)
			if err := tx.Must(`UPDATE memory SET writer_id = owner_id WHERE id = ? AND owner_id = ?`, r.id, r.owner); err != nil {
				return err
			}
			e := audit.Entry{
				Memory: r.id, Revision: r.revision, At: tx.Now, Action: audit.ActionUpdate, By: audit.Actor{Name: audit.ActorDaemon},
				Reason: audit.ReasonWriterGone, Writer: owner,
			}
			if err := audit.Write(tx, owner, e); err != nil {
				return err
			}
			tx.Emit(owner, db.NounMemory, r.id)
		}
	}
}
