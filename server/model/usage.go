package model

import (
	"context"
	"sync"
	"time"

	"elowen/server/account"
	"elowen/server/db"
	"elowen/server/embedding"
	"elowen/server/model/chat"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

const dayMillis = 24 * 60 * 60 * 1000

// usageKey is a row of the table, and so is Tally what is added to it.
type usageKey struct {
	owner db.AccountID
	day   int64
	role  string
}

// usage is what was used and isn't written yet.
type usage struct {
	mu      sync.Mutex
	pending map[usageKey]chat.Tally
	timer   *time.Timer // writes what is pending; nil: none is set
}

// usageDelay is how long what an embedding cost may wait: its requests are many, and
// a question must not wait for a write.
const usageDelay = 2 * time.Second

// count notes what was used by an account. A request that was not sent is none.
func (s *Store) count(owner db.AccountID, role string, t chat.Tally) {
	if t.Requests == 0 || owner == 0 {
		return
	}
	key := usageKey{owner, s.db.Now() / dayMillis, role}
	s.usage.mu.Lock()
	defer s.usage.mu.Unlock()
	if s.usage.pending == nil {
		s.usage.pending = map[usageKey]chat.Tally{}
	}
	sum := s.usage.pending[key]
	sum.Requests += t.Requests
	sum.Usage.Input += t.Usage.Input
	sum.Usage.Output += t.Usage.Output
	sum.Usage.Cached += t.Usage.Cached
	s.usage.pending[key] = sum
}

// used counts and writes what a request took.
func (s *Store) used(ctx context.Context, owner db.AccountID, role string, t chat.Tally) {
	s.count(owner, role, t)
	s.Flush(ctx)
}

// soon writes what is pending in a moment.
func (s *Store) soon() {
	s.usage.mu.Lock()
	defer s.usage.mu.Unlock()
	if s.usage.timer == nil && len(s.usage.pending) > 0 {
		s.usage.timer = time.AfterFunc(usageDelay, func() { s.Flush(context.Background()) })
	}
}

// Flush writes what was used and isn't written yet. What can't be written is kept for
// the next time, and logged: no answer fails for it.
func (s *Store) Flush(ctx context.Context) {
	s.usage.mu.Lock()
	list := s.usage.pending
	s.usage.pending = nil
	if s.usage.timer != nil {
		s.usage.timer.Stop()
		s.usage.timer = nil
	}
	s.usage.mu.Unlock()
	if len(list) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushMost)
	defer cancel()
	err := s.db.Update(ctx, func(tx *db.Tx) error {
		for key, t := range list {
			there, err := account.Owns(tx, key.owner)
			if err != nil {
				return err
			}
			if !there {
				continue // it was erased meanwhile
			}
			_, err = tx.Exec(`INSERT INTO model_usage (owner_id, day, role, requests, input, output, cached) VALUES (?, ?, ?, ?, ?, ?, ?)
				ON CONFLICT (owner_id, day, role) DO UPDATE SET requests = model_usage.requests + excluded.requests, input = model_usage.input + excluded.input,
				output = model_usage.output + excluded.output, cached = model_usage.cached + excluded.cached`,
				int64(key.owner), key.day, key.role, t.Requests, t.Usage.Input, t.Usage.Output, t.Usage.Cached)
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		return
	}
	s.o.Log.Warn("what models were used for could not be written yet", "error", err)
	s.usage.mu.Lock()
	defer s.usage.mu.Unlock()
	for key, t := range s.usage.pending {
		sum := list[key]
		sum.Requests += t.Requests
		sum.Usage.Input += t.Usage.Input
		sum.Usage.Output += t.Usage.Output
		sum.Usage.Cached += t.Usage.Cached
		list[key] = sum
	}
	s.usage.pending = list
}

// flushMost is how long writing may take.
const flushMost = 10 * time.Second

// embedded counts a request to a remote embedding model: to the account that it was
// made for. What the program asks for itself is nobody's.
func (s *Store) embedded(ctx context.Context, tokens int) {
	if owner, ok := embedding.Asker(ctx); ok {
		s.count(owner, api.RoleEmbedding, chat.Tally{Requests: 1, Usage: chat.Usage{Input: tokens}})
		s.soon()
	}
}

// Usage is what an account used of models in the last days, today included. days is 0
// for the setting's default. Errors: Invalid for another number out of bounds.
func (s *Store) Usage(ctx context.Context, owner db.AccountID, days int) (api.Usage, error) {
	bounds := setting.Get("usage.days")
	if days == 0 {
		days = int(bounds.Default)
	}
	if days < int(bounds.Min) || days > int(bounds.Max) {
		return api.Usage{}, fault.BadField("days", "setting", "", "That many days are not kept apart.")
	}
	s.Flush(ctx)
	today := s.db.Now() / dayMillis
	out := api.Usage{From: date(today - int64(days) + 1), To: date(today), Items: []api.UsageDay{}, Roles: []api.UsageRole{}}
	err := s.db.View(ctx, func(tx *db.Tx) error {
		rows := tx.Query(`SELECT day, role, requests, input, output, cached FROM model_usage WHERE owner_id = ? AND day > ? AND day <= ? ORDER BY day DESC, role`, int64(owner), today-int64(days), today)
		defer rows.Close()
		for rows.Next() {
			var day int64
			var one api.UsageDay
			if err := rows.Scan(&day, &one.Role, &one.Requests, &one.InputTokens, &one.OutputTokens, &one.CachedTokens); err != nil {
				return err
			}
			one.Day = date(day)
			out.Items = append(out.Items, one)
		}
		return rows.Err()
	})
	for _, role := range roles {
		sum := api.UsageRole{Role: role}
		for _, one := range out.Items {
			if one.Role == role {
				sum.Requests += one.Requests
				sum.InputTokens += one.InputTokens
				sum.OutputTokens += one.OutputTokens
				sum.CachedTokens += one.CachedTokens
			}
		}
		if sum.Requests > 0 {
			out.Roles = append(out.Roles, sum)
		}
	}
	return out, err
}

func date(day int64) string { return time.UnixMilli(day * dayMillis).UTC().Format(time.DateOnly) }

// EraseAccount removes everything of the account's here.
func EraseAccount(tx *db.Tx, owner db.AccountID) error {
	_, err := tx.Exec(`DELETE FROM model_usage WHERE owner_id = ?`, int64(owner))
	return err
}
