package projection

import (
	"context"

	"elowen/server/db"
)

// Settle brings the account's windows to the present at once, as its follower
// would in a moment; with ticked also the numbers that move with the clock.
func (p *Projector) Settle(ctx context.Context, owner db.AccountID, ticked bool) error {
	r := p.resident(owner)
	for {
		again, err := r.refresh(ctx, ticked)
		if err != nil || again == 0 {
			return err
		}
	}
}

// Hurry makes nothing wait for a better moment.
func (p *Projector) Hurry() { p.pace = pace{retry: 1} }

// Selections is how many selections of the account are in memory.
func (p *Projector) Selections(owner db.AccountID) int {
	r := p.resident(owner)
	if err := r.gate.enter(context.Background()); err != nil {
		return -1
	}
	defer r.gate.leave()
	return len(r.selections)
}
