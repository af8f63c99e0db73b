package memory

import (
	"fmt"
	"strings"

	"elowen/server/audit"
	"elowen/server/db"
	"elowen/server/validation"
	"elowen/server/vitality"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// Carried is a memory as it travels: into the store with Insert, out of it with
// Export. Instants are Unix milliseconds, 0 for never.
type Carried struct {
	ID         int64 // only out
	Body       string
	Kind       string
	Importance int
	Confidence float64
	Subject    string
	CategoryID int64 // 0: none
	Source     string
	Status     string
	UseCount   int64
	LastUsedAt int64
	CreatedAt  int64 // in: 0 is now
	UpdatedAt  int64 // in: 0 is CreatedAt
	ReviewedAt int64
	DeletedAt  int64
	DeletedWhy string
	DeletedBy  string       // the actor, as in the audit
	DeletedHow string       // the action: trash, auto-evict or merge
	Writer     db.AccountID // in a pool: who wrote it; 0 elsewhere
	Revision   int64        // in: at least that of the last version, and one more
	Uses       []api.Use
	Events     []api.LineEvent   // Foreign ones are not counted by the sweep's ledger
	Versions   []api.LineVersion // replaced bodies, under the last revision that had them, ascending
}

// statuses and sources that there are.
var (
	statuses = map[string]bool{api.StatusActive: true, api.StatusDeleted: true, api.StatusConsolidated: true}
	sources  = map[string]bool{
		api.SourceUser: true, api.SourceAgent: true, api.SourceCurator: true, api.SourceMerge: true, api.SourceMaintenance: true,
		api.SourceImport: true, api.SourceVoice: true, api.SourceChat: true, api.SourceTeamChat: true,
	}
)

// Check refuses what Insert cannot take as it is, with fault.Invalid and the
// field. Body and kind are trimmed, absent ones (status, source, kind, importance
// 0) and instants get their defaults; nothing else is touched.
func (c *Carried) Check(now int64) error {
	if err := c.settle(now); err != nil {
		return err
	}
	return c.checkRest()
}

// Due tells whether a sweep at now, in Unix milliseconds, would find it eligible under
// the policy once it is inserted. It has to have passed Check. Errors: Internal, of a
// policy that cannot be computed with.
func (c *Carried) Due(p vitality.Policy, now int64) (bool, error) {
	r := row{importance: c.Importance, useCount: c.UseCount, createdAt: c.CreatedAt, lastUsedAt: c.LastUsedAt, status: c.Status}
	return vitality.Evictable(r.vital(), p, now)
}

func (c *Carried) settle(now int64) error {
	c.Kind = strings.TrimSpace(c.Kind)
	in := api.MemoryAdd{Body: c.Body, Kind: c.Kind, Confidence: &c.Confidence, Subject: c.Subject}
	if c.Importance != 0 {
		in.Importance = &c.Importance
	}
	if err := validation.Struct(in); err != nil {
		return err
	}
	var err error
	if c.Body, err = settleBody(c.Body); err != nil {
		return err
	}
	defaults(&c.Kind, defaultKind())
	defaults(&c.Status, api.StatusActive)
	defaults(&c.Source, api.SourceImport)
	defaults(&c.Importance, defaultImportance())
	defaults(&c.CreatedAt, now)
	defaults(&c.UpdatedAt, c.CreatedAt)
	if c.Status == api.StatusDeleted {
		defaults(&c.DeletedAt, c.UpdatedAt)
	} else {
		c.DeletedAt, c.DeletedWhy, c.DeletedBy, c.DeletedHow = 0, "", "", ""
	}
	return nil
}

func defaults[T comparable](v *T, def T) {
	var none T
	if *v == none {
		*v = def
	}
}

func (c *Carried) checkRest() error {
	bad := func(field, rule, message string) error { return fault.BadField(field, rule, "", message) }
	switch {
	case !statuses[c.Status]:
		return bad("status", "oneof", "The status must be active, deleted or consolidated.")
	case !sources[c.Source]:
		return bad("source", "oneof", "This source is not known.")
	case !setting.Get("memory.useCount").Contains(float64(c.UseCount)): // what merges add up stays far from overflowing
		return bad("useCount", "setting", "A use count is a whole number from "+setting.Get("memory.useCount").Range()+".")
	case !db.Holds(c.DeletedWhy):
		return bad("deletedWhy", "text", "The reason holds a NUL character or is not valid UTF-8.")
	case !db.Holds(c.DeletedBy):
		return bad("deletedBy", "text", "The name holds a NUL character or is not valid UTF-8.")
	case c.DeletedHow != "" && c.DeletedHow != audit.ActionTrash && c.DeletedHow != audit.ActionEvict && c.DeletedHow != audit.ActionMerge:
		return bad("deletedHow", "oneof", "It came into the trash by trash, auto-evict or merge.")
	}
	last := int64(0)
	for i := range c.Versions {
		v := &c.Versions[i]
		if v.Revision <= last {
			return bad(fmt.Sprintf("versions[%d].revision", i), "ascending", "Versions come in the order of their revisions, from 1.")
		}
		if last = v.Revision; !db.Holds(v.Body) {
			return bad(fmt.Sprintf("versions[%d].body", i), "text", "The body holds a NUL character or is not valid UTF-8.")
		}
	}
	if c.Revision = max(c.Revision, last+1); !setting.Get("memory.revision").Contains(float64(c.Revision)) {
		return bad("revision", "setting", "A revision is a whole number from "+setting.Get("memory.revision").Range()+".")
	}
	for i, u := range c.Uses {
		if u.Kind != useRecall && u.Kind != useReinforced && u.Kind != "" {
			return bad(fmt.Sprintf("usedAt[%d].kind", i), "oneof", "A use is a recall or reinforced.")
		}
	}
	return audit.CheckLines(c.Events)
}

// Insert brings memories in as they are: their counters, instants, versions, uses
// and audit. One without events gets an "add" of its own, by the actor and for the
// reason; the events of others stay as they were, except that a body's text in one
// becomes its hash, since the audit outlives a purge. Recalls that are past their
// days are left behind. It answers the new ids in the order of the list, and writes
// the index of words once for all of it: give it hundreds at a time, not one.
// Errors: what Check says of the first bad one, NotFound for a category that is
// not the account's; then nothing was inserted.
func (s *Store) Insert(tx *db.Tx, owner db.AccountID, by audit.Actor, reason string, list []Carried) ([]int64, error) {
	b, err := s.batch(tx, owner, by)
	if err != nil || len(list) == 0 {
		return []int64{}, err
	}
	owned := map[int64]bool{0: true}
	rows := make([]*row, len(list))
	for i := range list {
		c := &list[i]
		if err := c.Check(tx.Now); err != nil {
			return nil, err
		}
		if !owned[c.CategoryID] {
			if err := s.categories.Owned(tx, owner, c.CategoryID); err != nil {
				return nil, err
			}
			owned[c.CategoryID] = true
		}
		rows[i] = &row{
			revision: c.Revision, subject: c.Subject, body: c.Body, kind: c.Kind, importance: c.Importance, confidence: c.Confidence,
			category: c.CategoryID, source: c.Source, status: c.Status, useCount: c.UseCount, lastUsedAt: c.LastUsedAt,
			createdAt: c.CreatedAt, updatedAt: c.UpdatedAt, reviewedAt: c.ReviewedAt, deletedAt: c.DeletedAt, deletedWhy: c.DeletedWhy,
			deletedBy: c.DeletedBy, deletedHow: c.DeletedHow, writer: int64(c.Writer),
		}
		if c.CategoryID != 0 {
			rows[i].filed = filedByHand // whoever brings it in says where it belongs
		}
	}
	begun := make([]string, len(list))
	err = b.insert(rows, func(i int) (err error) {
		if len(list[i].Events) == 0 {
			begun[i], err = begin(rows[i]).Text()
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	ids := make([]int64, len(list))
	var uses []use
	for i, r := range rows {
		ids[i] = r.id
		b.writer = r.writer
		if err := b.carryVersions(r, list[i].Versions); err != nil {
			return nil, err
		}
		if err := b.carryEvents(r, list[i].Events, begun[i], reason); err != nil {
			return nil, err
		}
		uses = append(uses, usesToWrite(r, list[i].Uses, usageHorizon(tx.Now))...)
	}
	if err := b.writeUses(uses); err != nil {
		return nil, err
	}
	return ids, b.flush()
}

// carryVersions writes the bodies that were replaced.
func (b *batch) carryVersions(r *row, list []api.LineVersion) error {
	for _, v := range list {
		if _, err := b.tx.Exec(`INSERT INTO memory_version (owner_id, memory_id, revision, body, at) VALUES (?, ?, ?, ?, ?)`,
			int64(b.owner), r.id, v.Revision, v.Body, int64(v.At)); err != nil {
			return err
		}
	}
	return nil
}

// carryEvents writes the audit that a memory came with, or, where it came with
// none, that it was added as begun says.
func (b *batch) carryEvents(r *row, list []api.LineEvent, begun, reason string) error {
	if len(list) == 0 {
		return b.record(audit.Entry{Memory: r.id, Revision: r.revision, Action: audit.ActionAdd, Reason: reason, After: begun})
	}
	for _, l := range list {
		e, err := audit.FromLine(r.id, l)
		if err != nil {
			return err
		}
		if err := b.record(e); err != nil {
			return err
		}
	}
	return nil
}

// usesToWrite are a memory's uses that are kept, each instant and kind once, and
// one that explains the last use where none of them does.
func usesToWrite(r *row, list []api.Use, horizon int64) []use {
	var out []use
	at := make(map[use]int, len(list))
	explained := r.lastUsedAt == 0
	for _, u := range list {
		k := use{memory: r.id, at: int64(u.At), kind: u.Kind}
		defaults(&k.kind, useRecall)
		if k.kind == useRecall && k.at < horizon {
			continue
		}
		explained = explained || k.at == r.lastUsedAt
		i, ok := at[k]
		if !ok {
			i = len(out)
			at[k] = i
			out = append(out, k)
		}
		out[i].times++
	}
	if !explained {
		out = append(out, use{r.id, r.lastUsedAt, useReinforced, 1})
	}
	return out
}
