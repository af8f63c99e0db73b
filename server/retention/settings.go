package retention

import (
	"encoding/json"
	"sync/atomic"

	"elowen/server/db"
	"elowen/server/memory"
	"elowen/server/settings"
	"elowen/server/vitality"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// Settings reads the policy and the instant of the next sweep. It is the
// memory.Rules of the whole server.
type Settings struct {
	cache atomic.Pointer[parsed]
}

// parsed is a stored policy as read before, by its text.
type parsed struct {
	text   string
	policy vitality.Policy
}

// NewSettings makes the reader. It holds nothing of a store, so that package
// memory can be made with it before the Store of this package.
func NewSettings() *Settings { return &Settings{} }

// Stored is the policy in force.
type Stored struct {
	Policy   vitality.Policy
	Revision int64 // of all settings: +1 at every save; 1 before the first
	Default  bool  // nobody saved one yet
}

// Load reads the policy in force. What is stored goes through the lenient door:
// a value out of its bounds is moved into them, and one that means nothing gives
// way to the default.
func (s *Settings) Load(tx *db.Tx) (Stored, error) {
	text, revision, err := settings.Read(tx, settings.Retention)
	if err != nil {
		return Stored{}, err
	}
	if text == "" {
		return Stored{Policy: vitality.DefaultPolicy(), Revision: revision, Default: true}, nil
	}
	if c := s.cache.Load(); c != nil && c.text == text {
		return Stored{Policy: c.policy, Revision: revision}, nil
	}
	var in storedPolicy
	if err := json.Unmarshal([]byte(text), &in); err != nil {
		return Stored{}, fault.Wrap(fault.Corrupt, err, "The stored retention policy cannot be read. Save it again with `elowen admin retention set`.")
	}
	p := vitality.Settle(vitality.DefaultPolicy(), vitality.Proposal(in))
	s.cache.Store(&parsed{text, p})
	return Stored{Policy: p, Revision: revision}, nil
}

// storedPolicy is vitality.Proposal with the names that it is stored under.
type storedPolicy struct {
	Enabled            *bool     `json:"enabled"`
	GraceDays          *float64  `json:"graceDays"`
	VitalityFloor      *float64  `json:"vitalityFloor"`
	DailyDeletionLimit *float64  `json:"dailyDeletionLimit"`
	HalfLifeDays       []float64 `json:"halfLifeDays"`
}

// store writes the policy, and gives the revision of the settings.
func (s *Settings) store(tx *db.Tx, p vitality.Policy) (revision int64, err error) {
	text, err := json.Marshal(storedPolicy(p.Proposal()))
	if err != nil {
		return 0, fault.Wrap(fault.Internal, err, "")
	}
	return settings.Write(tx, settings.Retention, string(text))
}

// Terms are the policy in force and the instant of the next sweep. Before the
// first server has set one, that is a day from now.
func (s *Settings) Terms(tx *db.Tx) (memory.Terms, error) {
	stored, err := s.Load(tx)
	if err != nil {
		return memory.Terms{}, err
	}
	next, err := nextSweep(tx)
	if next == 0 {
		next = tx.Now + vitality.DayMillis
	}
	return memory.Terms{Policy: stored.Policy, NextSweepAt: next}, err
}

// Wire is a policy in its wire form.
func Wire(p vitality.Policy) api.Policy {
	return api.Policy{Enabled: p.Enabled, GraceDays: p.GraceDays, VitalityFloor: p.Floor,
		DailyDeletionLimit: float64(p.DailyLimit), HalfLifeDays: append([]float64(nil), p.HalfLifeDays[:]...)}
}

// proposal is a change as the doors of package vitality take it.
func proposal(c api.PolicyChange) vitality.Proposal {
	return vitality.Proposal{Enabled: c.Enabled, GraceDays: c.GraceDays, VitalityFloor: c.VitalityFloor,
		DailyDeletionLimit: c.DailyDeletionLimit, HalfLifeDays: c.HalfLifeDays}
}
