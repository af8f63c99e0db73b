package recall

import (
	"context"

	"elowen/server/account"
	"elowen/server/db"
	"elowen/server/embedding"
	"elowen/server/settings"
	"elowen/server/validation"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// SaveLimits changes the limits of recall. Errors: Invalid; Stale with the settings as
// they are.
func (s *Store) SaveLimits(ctx context.Context, in api.LimitsChange) (api.Settings, error) {
	return s.save(ctx, in, in.Revision, func(tx *db.Tx) error { return settings.ChangeLimits(tx, in) })
}

// SaveRuntime changes how the instance recalls. Thresholds are of the embedding space
// that is in use. Errors: as SaveLimits.
func (s *Store) SaveRuntime(ctx context.Context, in api.RuntimeChange) (api.Settings, error) {
	return s.save(ctx, in, in.Revision, func(tx *db.Tx) error {
		space, err := embedding.Current(tx)
		if err != nil {
			return err
		}
		return settings.ChangeRuntime(tx, int64(space.ID), in)
	})
}

// save makes a change of the settings that names a revision, and tells every account.
func (s *Store) save(ctx context.Context, in any, revision int64, change func(tx *db.Tx) error) (api.Settings, error) {
	if err := validation.Struct(in); err != nil {
		return api.Settings{}, err
	}
	return db.Do(ctx, s.db, func(tx *db.Tx) (api.Settings, error) {
		now, err := s.o.Settings(tx)
		if err != nil {
			return api.Settings{}, err
		}
		if f := settings.Seen(revision, now.Revision); f != nil {
			if fault.Is(f, fault.Stale) {
				f.Current = now
			}
			return api.Settings{}, f
		}
		if err := change(tx); err != nil {
			return api.Settings{}, err
		}
		owners, err := account.Owners(tx)
		if err != nil {
			return api.Settings{}, err
		}
		for _, owner := range owners {
			tx.Emit(owner, db.NounRetention, 0) // as windows of the settings know it
		}
		return s.o.Settings(tx)
	})
}
