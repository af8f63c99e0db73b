package transfer

import (
	"context"
	"database/sql"
	"encoding/json"
	"strconv"
	"time"

	"elowen/server/db"
	"elowen/server/vitality"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// The older system's schema from which on importance has ten levels.
const tenLevels = 44

// older is the older system's file, read as it is.
type older struct {
	f          *db.Foreign
	ctx        context.Context
	ten        bool // importance has ten levels already
	users      []olderUser
	projects   map[int64]*olderProject
	categories map[int64]olderCategory
	names      map[int64]string           // of the categories
	purges     map[int64]int64            // the last purge in the audit, by the number of its row
	has        map[string]map[string]bool // columns by table
	memories   int64
}

type olderUser struct {
	id          int64
	name, shown string
	admin       bool
	created     int64
}

type olderCategory struct {
	id, user                int64 // user 0: of what the project shares
	name, description, icon string
	project                 int64 // that it is bound to; 0: none
}

// olderMemory is a row with all that belongs to it.
type olderMemory struct {
	id, user                   int64
	body, kind, source, status string
	importance                 int
	confidence                 float64
	created, updated, used     int64
	createdText                string // as it stands there; a part of the row's name
	useCount                   int64
	category                   int64 // 0: none
	events                     []olderEvent
	uses                       []int64
}

type olderEvent struct {
	id, memory, user             int64
	action, actor, model, reason string
	before, after                string
	at                           int64
}

// readOlder opens the file and reads all but the memories.
func readOlder(ctx context.Context, file string) (*older, error) {
	f, err := db.OpenForeign(ctx, file)
	if err != nil {
		return nil, err
	}
	o := &older{f: f, ctx: ctx, projects: map[int64]*olderProject{}, categories: map[int64]olderCategory{}, names: map[int64]string{}, purges: map[int64]int64{},
		has: map[string]map[string]bool{}}
	if err := o.read(); err != nil {
		f.Close()
		return nil, err
	}
	return o, nil
}

func (o *older) read() error {
	for _, table := range []string{"users", "memories", "memory_events", "memory_usage_events", "memory_categories", "projects", "user_projects", "project_memory_members", "settings"} {
		columns, err := o.f.Columns(o.ctx, table)
		if err != nil {
			return err
		}
		o.has[table] = columns
	}
	if !o.has["users"]["username"] || !o.has["memories"]["body"] || !o.has["memories"]["user_id"] {
		return fault.New(fault.Invalid, "This SQLite file is not a database of the older elowen: it has no memories of people.")
	}
	schema, err := o.f.Version(o.ctx)
	if err != nil {
		return err
	}
	o.ten = schema >= tenLevels
	if err := o.readUsers(); err != nil {
		return err
	}
	if err := o.readCategories(); err != nil {
		return err
	}
	if err := o.readProjects(); err != nil {
		return err
	}
	if o.has["memory_events"]["action"] {
		err := o.each("SELECT memory_id, MAX(id) FROM memory_events WHERE action = 'purge' AND memory_id IS NOT NULL GROUP BY memory_id", nil, func(r *sql.Rows) error {
			var id, event int64
			err := r.Scan(&id, &event)
			o.purges[id] = event
			return err
		})
		if err != nil {
			return err
		}
	}
	return o.each("SELECT COUNT(*) FROM memories", nil, func(r *sql.Rows) error { return r.Scan(&o.memories) })
}

// each goes through a query's rows.
func (o *older) each(query string, args []any, row func(*sql.Rows) error) error {
	rows, err := o.f.Query(o.ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := row(rows); err != nil {
			return unreadable(err)
		}
	}
	return unreadable(rows.Err())
}

func unreadable(err error) error {
	if err == nil || fault.KindOf(err) != fault.Internal {
		return err
	}
	return fault.Wrap(fault.Invalid, err, "The file to import from cannot be read to its end: "+err.Error())
}

// column is a column's name where the table has it, else what stands for it.
func (o *older) column(table, name, otherwise string) string {
	if o.has[table][name] {
		return "COALESCE(" + name + ", " + otherwise + ")"
	}
	return otherwise
}

func (o *older) readUsers() error {
	query := "SELECT id, username, " + o.column("users", "name", "''") + ", " + o.column("users", "is_admin", "0") + ", " +
		o.column("users", "created_at", "''") + " FROM users ORDER BY id"
	return o.each(query, nil, func(r *sql.Rows) error {
		var u olderUser
		var created string
		if err := r.Scan(&u.id, &u.name, &u.shown, &u.admin, &created); err != nil {
			return err
		}
		u.created, _ = olderTime(created) // when an account was made is worth no refusal
		o.users = append(o.users, u)
		return nil
	})
}

func (o *older) readCategories() error {
	if !o.has["memory_categories"]["name"] {
		return nil
	}
	query := "SELECT id, user_id, name, " + o.column("memory_categories", "description", "''") + ", " +
		o.column("memory_categories", "icon", "''") + ", " + o.column("memory_categories", "project_id", "0") + " FROM memory_categories ORDER BY id"
	return o.each(query, nil, func(r *sql.Rows) error {
		var c olderCategory
		if err := r.Scan(&c.id, &c.user, &c.name, &c.description, &c.icon, &c.project); err != nil {
			return err
		}
		o.categories[c.id], o.names[c.id] = c, c.name
		return nil
	})
}

// olderPage is how many memories are read at a time.
const olderPage = 500

// page reads a user's memories with an id after last, with their events and uses.
func (o *older) page(user, last int64) ([]*olderMemory, error) {
	var page []*olderMemory
	byID := map[int64]*olderMemory{}
	query := "SELECT id, body, kind, importance, confidence, source, status, created_at, updated_at, COALESCE(last_used_at, ''), use_count, " +
		o.column("memories", "category_id", "0") + " FROM memories WHERE user_id = ? AND id > ? ORDER BY id LIMIT ?"
	err := o.each(query, []any{user, last, olderPage}, func(r *sql.Rows) error {
		m := &olderMemory{user: user}
		var updated, used string
		err := r.Scan(&m.id, &m.body, &m.kind, &m.importance, &m.confidence, &m.source, &m.status, &m.createdText, &updated, &used, &m.useCount, &m.category)
		if err != nil {
			return err
		}
		for _, t := range []struct {
			text string
			at   *int64
		}{{m.createdText, &m.created}, {updated, &m.updated}, {used, &m.used}} {
			if *t.at, err = olderTime(t.text); err != nil {
				return err
			}
		}
		page = append(page, m)
		byID[m.id] = m
		return nil
	})
	if err != nil || len(page) == 0 {
		return page, err
	}
	first, end := page[0].id, page[len(page)-1].id
	if err := o.readUses(byID, first, end); err != nil {
		return nil, err
	}
	return page, o.readEvents("user_id = ? AND memory_id BETWEEN ? AND ?", []any{user, first, end}, func(e olderEvent) {
		// What came before a purge was another memory: its number was given again.
		if m := byID[e.memory]; m != nil && e.id > o.purges[e.memory] {
			m.events = append(m.events, e)
		}
	})
}

func (o *older) readUses(byID map[int64]*olderMemory, first, end int64) error {
	if !o.has["memory_usage_events"]["used_at"] {
		return nil
	}
	return o.each("SELECT memory_id, used_at FROM memory_usage_events WHERE memory_id BETWEEN ? AND ? ORDER BY id", []any{first, end}, func(r *sql.Rows) error {
		var id int64
		var text string
		if err := r.Scan(&id, &text); err != nil {
			return err
		}
		at, err := olderTime(text)
		if m := byID[id]; m != nil && err == nil {
			m.uses = append(m.uses, at)
		}
		return err
	})
}

func (o *older) readEvents(where string, args []any, each func(olderEvent)) error {
	return o.readOrdered(where, "id", args, each)
}

func (o *older) readOrdered(where, order string, args []any, each func(olderEvent)) error {
	if !o.has["memory_events"]["action"] {
		return nil
	}
	query := "SELECT id, COALESCE(memory_id, 0), user_id, action, COALESCE(before_json, ''), COALESCE(after_json, ''), actor, " +
		o.column("memory_events", "reason", "''") + ", " + o.column("memory_events", "model", "''") + ", created_at FROM memory_events WHERE " + where + " ORDER BY " + order
	return o.each(query, args, func(r *sql.Rows) error {
		var e olderEvent
		var at string
		if err := r.Scan(&e.id, &e.memory, &e.user, &e.action, &e.before, &e.after, &e.actor, &e.reason, &e.model, &at); err != nil {
			return err
		}
		var err error
		e.at, err = olderTime(at)
		each(e)
		return err
	})
}

// purged reads the audit of a user's memories that are gone, one after the other.
func (o *older) purged(user int64) ([][]olderEvent, error) {
	var lives [][]olderEvent
	open := false // the last one goes on
	const gone = `user_id = ? AND (memory_id IS NULL
		OR NOT EXISTS (SELECT 1 FROM memories m WHERE m.id = memory_events.memory_id AND m.user_id = memory_events.user_id)
		OR id <= (SELECT MAX(p.id) FROM memory_events p WHERE p.memory_id = memory_events.memory_id AND p.action = 'purge'))`
	err := o.readOrdered(gone, "memory_id, id", []any{user}, func(e olderEvent) {
		n := len(lives)
		if open && e.memory != 0 && lives[n-1][0].memory == e.memory {
			lives[n-1] = append(lives[n-1], e)
		} else {
			lives = append(lives, []olderEvent{e})
		}
		open = e.action != "purge"
	})
	return lives, err
}

// errPolicy says that the file holds a policy that cannot be read.
var errPolicy = fault.New(fault.Invalid, "Its retention policy cannot be read, so ours stays as it is.")

// policy is the retention policy that the file holds; ok tells whether it holds
// one. One that cannot be read is errPolicy.
func (o *older) policy() (p vitality.Proposal, ok bool, err error) {
	if !o.has["settings"]["data"] {
		return p, false, nil
	}
	var text string
	err = o.each("SELECT data FROM settings ORDER BY id LIMIT 1", nil, func(r *sql.Rows) error { return r.Scan(&text) })
	if err != nil || text == "" {
		return p, false, err
	}
	// Nothing else of the settings is read: they hold other people's keys.
	var s struct {
		Runtime struct {
			Retention *struct {
				Enabled   *bool              `json:"enabled"`
				Grace     *float64           `json:"graceDays"`
				Floor     *float64           `json:"vitalityFloor"`
				Limit     *float64           `json:"dailyDeletionLimit"`
				HalfLives map[string]float64 `json:"halfLifeByImportance"`
			} `json:"memoryRetention"`
		} `json:"runtime"`
	}
	if json.Unmarshal([]byte(text), &s) != nil {
		return p, false, errPolicy
	}
	if s.Runtime.Retention == nil {
		return p, false, nil
	}
	r := s.Runtime.Retention
	p = vitality.Proposal{Enabled: r.Enabled, GraceDays: r.Grace, VitalityFloor: r.Floor, DailyDeletionLimit: r.Limit}
	defaults := vitality.DefaultPolicy()
	if r.Floor != nil && *r.Floor == 0 {
		// It paused the old one.
		p.VitalityFloor, p.Enabled = &defaults.Floor, api.Ptr(false)
	}
	p.HalfLifeDays = defaults.HalfLifeDays[:]
	if o.ten {
		for i := range p.HalfLifeDays {
			if days, ok := r.HalfLives[strconv.Itoa(i+1)]; ok {
				p.HalfLifeDays[i] = days
			}
		}
	}
	return p, true, nil
}

// olderTime reads an instant as the older system writes it: date and time in UTC,
// or ISO 8601. Empty is never (0).
func olderTime(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	for _, layout := range []string{time.DateTime, "2006-01-02 15:04:05.999999999", time.RFC3339Nano, "2006-01-02T15:04:05.999999999", time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UnixMilli(), nil
		}
	}
	return 0, fault.Newf(fault.Invalid, "%q in the file to import from is not an instant.", text)
}
