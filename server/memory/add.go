package memory

import (
	"context"
	"fmt"

	"elowen/server/audit"
	"elowen/server/category"
	"elowen/server/db"
	"elowen/server/embedding"
	"elowen/server/validation"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// Add stores a memory. Without a category it goes to the account's default one,
// if there is one, and in a project to the project's own; null leaves it without. What
// is shared goes to the project's pool. The identical body, active in the same
// category, is one memory: that one is answered, unchanged, as Existing. What it
// resembles is reported and never a reason to refuse. Errors: Invalid, NotFound
// for a category that is not the account's, or a project that it has no part in.
func (s *Store) Add(ctx context.Context, owner db.AccountID, by audit.Actor, source string, in api.MemoryAdd) (api.MemoryAdded, error) {
	if err := validation.Struct(in); err != nil {
		return api.MemoryAdded{}, err
	}
	if !sources[source] {
		return api.MemoryAdded{}, fault.Wrap(fault.Internal, fmt.Errorf("memory: no source %q", source), "")
	}
	body, err := settleBody(in.Body)
	if err != nil {
		return api.MemoryAdded{}, err
	}
	// The search for similar ones is the longest part and needs no lock.
	wait := s.embedded(embedding.For(ctx, owner), body)
	similar, err := s.resembling(ctx, owner, in, body)
	v, pending, panicked := wait()
	if err == nil {
		err = panicked
	}
	if err == nil {
		similar, err = s.nearer(ctx, owner, in, similar, v)
	}
	if err != nil {
		return api.MemoryAdded{}, err
	}
	out, err := s.decide(ctx, owner, by, source, body, in, similar, v)
	out.SimilarPending = pending && !out.Existing
	return out, err
}

// decide is the transaction of an add: the body is settled, and similar is what it
// resembled a moment ago. v are its vectors, if they are there.
func (s *Store) decide(ctx context.Context, owner db.AccountID, by audit.Actor, source, body string, in api.MemoryAdd, similar []api.Similar, v Vectors) (api.MemoryAdded, error) {
	text := settledOf(body) // before anyone has to wait for it
	return doAdded(ctx, s.db, func(tx *db.Tx) (api.MemoryAdded, error) {
		var out api.MemoryAdded
		r := row{
			revision: 1, subject: in.Subject, body: body, kind: in.Kind, importance: defaultImportance(),
			confidence: setting.Get("memory.confidence").Default, source: source, status: api.StatusActive,
			createdAt: tx.Now, updatedAt: tx.Now,
		}
		defaults(&r.kind, defaultKind())
		if in.Importance != nil {
			r.importance = *in.Importance
		}
		if in.Confidence != nil {
			r.confidence = *in.Confidence
		}
		var err error
		home, err := place(tx, owner, in)
		if err != nil {
			return out, err
		}
		if out.Similar, err = present(tx, home, similar); err != nil {
			return out, err
		}
		if in.CategoryID.Set {
			r.filed = filedByHand
		}
		if in.ProjectID != 0 && !in.CategoryID.Set {
			r.category, err = category.Fallback(tx, home, in.ProjectID)
		} else {
			r.category, err = s.category(tx, home, in.CategoryID)
		}
		if err != nil {
			return out, err
		}
		b, err := s.batch(tx, home, by)
		if err != nil {
			return out, err
		}
		if home != owner {
			b.writer = int64(owner)
		}
		b.text = text
		same, err := identical(tx, home, text.hash, body, r.category)
		switch {
		case err == nil:
			r, out.Existing = same, true
			out.Similar = without(out.Similar, r.id)
		case fault.Is(err, fault.NotFound):
			if err := b.add(&r, audit.ActionAdd, in.Reason); err != nil {
				return out, err
			}
			if err := v.keep(tx, home, &r); err != nil {
				return out, err
			}
		default:
			return out, err
		}
		if home != owner {
			if err := attribute(tx, owner, in.ProjectID, &r); err != nil {
				return out, err
			}
		}
		out.Memory, err = r.wire(b.terms, tx.Now)
		return out, err
	})
}

// add inserts one new memory with its event.
func (b *batch) add(r *row, action, reason string) error {
	if err := b.insert([]*row{r}, nil); err != nil {
		return err
	}
	after, err := begin(r).Text()
	if err != nil {
		return err
	}
	if err := b.record(audit.Entry{Memory: r.id, Revision: r.revision, Action: action, Reason: reason, After: after}); err != nil {
		return err
	}
	return b.flush()
}

// category is the one that a request asks for: the account's default where it
// asks for nothing, 0 for none.
func (s *Store) category(tx *db.Tx, owner db.AccountID, wanted api.Optional[int64]) (int64, error) {
	if !wanted.Set {
		id, _, err := s.categories.Default(tx, owner)
		return id, err
	}
	if wanted.Value == nil {
		return 0, nil
	}
	return *wanted.Value, s.categories.Owned(tx, owner, *wanted.Value)
}

// identical is the oldest active memory of the category with that very body, else
// fault.NotFound.
func identical(tx *db.Tx, owner db.AccountID, hash, body string, category int64) (row, error) {
	var r row
	err := tx.Row(`SELECT `+columns+` FROM memory WHERE owner_id = ? AND body_hash = ? AND status = ? AND COALESCE(category_id, 0) = ? AND body = ? ORDER BY id LIMIT 1`,
		[]any{int64(owner), hash, api.StatusActive, category, body}, r.dest()...)
	if err != nil {
		return r, err
	}
	return r, labelled(tx, owner, &r)
}

// present are those of similar texts that are still what was read before the
// decision. One that was purged meanwhile must not live on in the remembered
// answer.
func present(tx *db.Tx, owner db.AccountID, list []api.Similar) ([]api.Similar, error) {
	if len(list) == 0 {
		return list, nil
	}
	ids := make([]int64, len(list))
	for i, s := range list {
		ids[i] = s.ID
	}
	bodies, err := activeBodies(tx, owner, ids)
	if err != nil {
		return nil, err
	}
	kept := make([]api.Similar, 0, len(list))
	for _, s := range list {
		if body, ok := bodies[s.ID]; ok && body == s.Body {
			kept = append(kept, s)
		}
	}
	return kept, nil
}

func without(list []api.Similar, id int64) []api.Similar {
	kept := make([]api.Similar, 0, len(list))
	for _, s := range list {
		if s.ID != id {
			kept = append(kept, s)
		}
	}
	return kept
}

// Get is one of the memories that the account may read, else fault.NotFound.
func (s *Store) Get(ctx context.Context, owner db.AccountID, id int64) (api.Memory, error) {
	var m api.Memory
	err := s.db.View(ctx, func(tx *db.Tx) error {
		r, err := reach(tx, owner, id)
		if err != nil {
			return err
		}
		t, err := s.rules.Terms(tx)
		if err != nil {
			return err
		}
		m, err = r.wire(t, tx.Now)
		return err
	})
	return m, err
}

// Rows renders memories in the order given, as they are now. Ids of what
// the account may not read are left out.
func (s *Store) Rows(tx *db.Tx, owner db.AccountID, ids []int64) ([]api.Memory, error) {
	found, err := reachMany(tx, owner, ids)
	if err != nil {
		return nil, err
	}
	t, err := s.rules.Terms(tx)
	if err != nil {
		return nil, err
	}
	list := make([]api.Memory, 0, len(found))
	for _, id := range ids {
		if r, ok := found[id]; ok {
			m, err := r.wire(t, tx.Now)
			if err != nil {
				return nil, err
			}
			list = append(list, m)
		}
	}
	return list, nil
}
