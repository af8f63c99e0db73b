package projection

import (
	"context"

	"elowen/server/db"
)

// Settle brings the account's windows to the present at once, as its follower
// would in a moment; with ticked also the numbers that move with the clock.
func (p *Projector) Settle(ctx context.Context, owner db.AccountID, ticked bool) error {
	r := p.resident(owner)
	defer p.release(r)
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
	defer p.release(r)
	if err := r.gate.enter(context.Background()); err != nil {
		return -1
	}
	defer r.gate.leave()
	return len(r.selections)
}

// Residents is how many accounts have a place.
func (p *Projector) Residents() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.residents)
}

// Impatient forgets an account as soon as nobody asks for it.
func (p *Projector) Impatient() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.patience = -1
}
