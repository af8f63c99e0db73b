package retention

import (
	"context"
	"log/slog"
	"strings"

	"elowen/server/account"
	"elowen/server/audit"
	"elowen/server/db"
	"elowen/server/embedding"
	"elowen/server/memory"
	"elowen/server/settings"
	"elowen/server/vitality"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// Store saves the policy, sweeps, and answers what a policy does. It is safe for
// concurrent use, also by several programs on one store.
type Store struct {
	db       *db.DB
	settings *Settings
	memories *memory.Store
	log      *slog.Logger
}

// New makes the store. settings must be the rules that memories was made with; a
// nil log is silent.
func New(d *db.DB, settings *Settings, memories *memory.Store, log *slog.Logger) *Store {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Store{db: d, settings: settings, memories: memories, log: log}
}

// Current reads the policy in force.
func (s *Store) Current(ctx context.Context) (Stored, error) {
	var out Stored
	err := s.db.View(ctx, func(tx *db.Tx) (err error) {
		out, err = s.settings.Load(tx)
		return err
	})
	return out, err
}

// Settings are all settings but the models, with their revision.
func (s *Store) Settings(ctx context.Context) (api.Settings, error) {
	var out api.Settings
	err := s.db.View(ctx, func(tx *db.Tx) (err error) {
		out, err = s.SettingsIn(tx)
		return err
	})
	return out, err
}

// SettingsIn is Settings inside a transaction.
func (s *Store) SettingsIn(tx *db.Tx) (api.Settings, error) {
	stored, err := s.settings.Load(tx)
	if err != nil {
		return api.Settings{}, err
	}
	return wireSettings(tx, stored)
}

// Save changes the policy as a request asks, through the strict door: a value out
// of bounds is fault.Invalid. A change that names another revision than the
// current one is fault.Stale, with the settings as they are. With the policy
// every memory's order and date of eligibility move, in the same transaction.
func (s *Store) Save(ctx context.Context, change api.PolicyChange) (api.Settings, error) {
	return db.Do(ctx, s.db, func(tx *db.Tx) (api.Settings, error) {
		now, err := s.settings.Load(tx)
		if err != nil {
			return api.Settings{}, err
		}
		if f := settings.Seen(change.Revision, now.Revision); f != nil {
			if fault.Is(f, fault.Stale) {
				if f.Current, err = wireSettings(tx, now); err != nil {
					return api.Settings{}, err
				}
			}
			return api.Settings{}, f
		}
		next, err := vitality.FromRequest(now.Policy, proposal(change))
		if err != nil {
			return api.Settings{}, err
		}
		saved, err := s.put(tx, now, next)
		if err != nil {
			return api.Settings{}, err
		}
		return wireSettings(tx, saved)
	})
}

// Adopt takes over the policy of a store that memories are imported from, through
// the lenient door: where ours is still the default, or replace is set. It tells
// whether it did, and what the policy is now. It is for the import's transaction.
func (s *Store) Adopt(tx *db.Tx, in vitality.Proposal, replace bool) (took bool, now Stored, err error) {
	if now, err = s.settings.Load(tx); err != nil {
		return false, now, err
	}
	next := vitality.Settle(now.Policy, in)
	if next == now.Policy || !now.Default && !replace {
		return false, now, nil
	}
	now, err = s.put(tx, now, next)
	return err == nil, now, err
}

// Disagrees tells whether the policy of another store, as the lenient door would
// take it, differs from the one in force.
func (s *Store) Disagrees(tx *db.Tx, in vitality.Proposal) (bool, error) {
	now, err := s.settings.Load(tx)
	return vitality.Settle(now.Policy, in) != now.Policy, err
}

// put stores the next policy, computes every memory's order anew where it may
// have moved, and tells every account.
func (s *Store) put(tx *db.Tx, now Stored, next vitality.Policy) (Stored, error) {
	revision, err := s.settings.store(tx, next)
	if err != nil {
		return now, err
	}
	saved := Stored{Policy: next, Revision: revision}
	terms, err := s.settings.Terms(tx)
	if err != nil {
		return now, err
	}
	owners, err := account.Owners(tx)
	if err != nil {
		return now, err
	}
	was := now.Policy
	moved := was.HalfLifeDays != next.HalfLifeDays || was.Floor != next.Floor || was.GraceDays != next.GraceDays
	for _, owner := range owners {
		if moved {
			if err := s.memories.Rekey(tx, owner, terms); err != nil {
				return now, err
			}
		}
		tx.Emit(owner, db.NounRetention, 0)
	}
	return saved, nil
}

// Status answers GET /api/retention for an account.
func (s *Store) Status(ctx context.Context, owner db.AccountID) (api.Retention, error) {
	var out api.Retention
	err := s.db.View(ctx, func(tx *db.Tx) (err error) {
		out, err = s.StatusIn(tx, owner)
		return err
	})
	return out, err
}

// StatusIn is Status inside a transaction, for those who show more beside it.
func (s *Store) StatusIn(tx *db.Tx, owner db.AccountID) (api.Retention, error) {
	stored, err := s.settings.Load(tx)
	if err != nil {
		return api.Retention{}, err
	}
	terms, err := s.settings.Terms(tx)
	if err != nil {
		return api.Retention{}, err
	}
	out := api.Retention{Policy: Wire(stored.Policy), Revision: stored.Revision, Bounds: Bounds(), NextSweepAt: api.Time(terms.NextSweepAt)}
	last, swept, err := lastSweep(tx, owner)
	if err != nil {
		return out, err
	}
	if swept {
		out.LastSweep = &last
	}
	if out.DueNow, err = s.memories.CountDue(tx, owner, terms, tx.Now); err != nil {
		return out, err
	}
	used, err := audit.Evicted(tx, owner, tx.Now)
	out.LeftToday = max(0, stored.Policy.DailyLimit-used)
	if err == nil {
		out.FadesInDays, err = fadesIn(stored.Policy)
	}
	return out, err
}

// NextSweep is the stored instant of the next sweep; ok tells whether a server has
// set one yet.
func (s *Store) NextSweep(ctx context.Context) (at int64, ok bool, err error) {
	err = s.db.View(ctx, func(tx *db.Tx) error {
		at, err = nextSweep(tx)
		return err
	})
	return at, at != 0, err
}

func wireSettings(tx *db.Tx, s Stored) (api.Settings, error) {
	out := api.Settings{Revision: s.Revision, Retention: Wire(s.Policy), Fields: Bounds()}
	out.Fields = append(append(out.Fields, bounds(settings.Limits)...), bounds(settings.Runtime)...)
	space, err := embedding.Current(tx)
	if err != nil {
		return out, err
	}
	if out.Limits, err = settings.ReadLimits(tx); err != nil {
		return out, err
	}
	out.Runtime, err = settings.ReadRuntime(tx, int64(space.ID))
	return out, err
}

// Bounds are the rows of the setting table that belong to the policy.
func Bounds() []api.Bound { return bounds(settings.Retention) }

// bounds are the rows of the setting table that belong to a group.
func bounds(group string) []api.Bound {
	var list []api.Bound
	for _, r := range setting.All() {
		if strings.HasPrefix(r.Key, group+".") {
			list = append(list, api.Bound{Key: r.Key, Label: r.Label, Help: r.Help, Unit: r.Unit, Default: r.Default, Min: r.Min, Max: r.Max})
		}
	}
	return list
}
