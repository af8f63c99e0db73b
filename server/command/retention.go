package command

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"elowen/server/db"
	"elowen/server/retention"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

type retentionCommand struct {
	Show    retentionShow    `cmd:"" help:"Show the policy."`
	Set     retentionSet     `cmd:"" help:"Change the policy. What isn't named stays."`
	Preview retentionPreview `cmd:"" help:"Say what a policy would do, without changing anything."`
	Sweep   retentionSweep   `cmd:"" help:"Sweep now, within the daily limit."`
}

// policyFlags change a policy.
type policyFlags struct {
	Enabled            *bool             `negatable:"" help:"Move what has faded to the trash, once a day."`
	GraceDays          *float64          `placeholder:"DAYS" help:"Never take a memory younger than this."`
	VitalityFloor      *float64          `aliases:"floor" placeholder:"V" help:"Take a memory below this vitality."`
	DailyDeletionLimit *float64          `aliases:"limit" placeholder:"N" help:"Take at most this many of a person's in 24 hours."`
	HalfLifeDays       map[string]string `placeholder:"LEVEL=DAYS" mapsep:"," help:"Days until the vitality of a level of importance has halved, such as 5=21,6=30."`
}

// change is what the flags ask for, from the policy in force.
func (f policyFlags) change(now api.Policy, revision int64) (api.PolicyChange, error) {
	c := api.PolicyChange{Revision: revision, Enabled: f.Enabled, GraceDays: f.GraceDays,
		VitalityFloor: f.VitalityFloor, DailyDeletionLimit: f.DailyDeletionLimit}
	if len(f.HalfLifeDays) == 0 {
		return c, nil
	}
	c.HalfLifeDays = append([]float64(nil), now.HalfLifeDays...)
	for level, days := range f.HalfLifeDays {
		n, err := strconv.Atoi(level)
		if err != nil || n < 1 || n > len(c.HalfLifeDays) {
			return c, fault.BadField("halfLifeDays", "level", "", "Half-lives are given by level of importance, 1 to 10, such as 5=21.")
		}
		if c.HalfLifeDays[n-1], err = strconv.ParseFloat(days, 64); err != nil {
			return c, fault.BadField("halfLifeDays", "number", "", "A half-life is a number of days, such as 5=21.")
		}
	}
	return c, nil
}

func (f policyFlags) empty() bool {
	return f.Enabled == nil && f.GraceDays == nil && f.VitalityFloor == nil && f.DailyDeletionLimit == nil && len(f.HalfLifeDays) == 0
}

type retentionShow struct{}

// Run implements the command.
func (c *retentionShow) Run(r *run) error {
	return r.reading(func(st *stores) error {
		s, err := st.retention.Settings(r.ctx)
		if err != nil {
			return err
		}
		return r.showPolicy(st, s)
	})
}

// shownPolicy is the policy with the instant of the next sweep.
type shownPolicy struct {
	api.Policy
	Revision    int64     `json:"revision"`
	NextSweepAt *api.Time `json:"nextSweepAt"`
}

func (r *run) showPolicy(st *stores, s api.Settings) error {
	out := shownPolicy{Policy: s.Retention, Revision: s.Revision}
	at, ok, err := st.retention.NextSweep(r.ctx)
	if err != nil {
		return err
	}
	if ok {
		out.NextSweepAt = api.Ptr(api.Time(at))
	}
	return r.show(out, func(w io.Writer) {
		table(w, []string{"SETTING", "VALUE", "ACCEPTED"}, func(add func(...any)) {
			p := s.Retention
			value := map[string]string{
				"retention.enabled": yes(p.Enabled), "retention.graceDays": setting.Format(p.GraceDays),
				"retention.vitalityFloor": setting.Format(p.VitalityFloor), "retention.dailyDeletionLimit": setting.Format(p.DailyDeletionLimit),
			}
			for i, days := range p.HalfLifeDays {
				value[setting.HalfLifeKey(i+1)] = setting.Format(days)
			}
			for _, b := range retention.Bounds() {
				accepted := ""
				if row := setting.Get(b.Key); row.Bounded() {
					accepted = row.Range()
				}
				add(b.Label, strings.TrimSpace(value[b.Key]+" "+b.Unit), accepted)
			}
		})
		if ok {
			fmt.Fprintf(w, "Next sweep %s.\n", short(api.Time(at)))
		} else {
			fmt.Fprintln(w, "No server has set the next sweep yet.")
		}
	})
}

type retentionSet struct{ policyFlags }

// Run implements the command.
func (c *retentionSet) Run(r *run) error {
	if c.empty() {
		return fault.New(fault.Invalid, "Say what to change, such as --no-enabled or --daily-deletion-limit 3. See --help.")
	}
	return r.with(func(st *stores) error {
		now, err := st.retention.Settings(r.ctx)
		if err != nil {
			return err
		}
		change, err := c.change(now.Retention, now.Revision)
		if err != nil {
			return err
		}
		saved, err := st.retention.Save(r.ctx, change)
		if err != nil {
			return err
		}
		if g := c.GraceDays; g != nil && *g != saved.Retention.GraceDays && !r.json {
			row := setting.Get("retention.graceDays")
			fmt.Fprintf(r.Stdout, "%s: %s is not within %s, so it was made %s.\n", row.Label, setting.Format(*g), row.Range(), setting.Format(saved.Retention.GraceDays))
		}
		return r.showPolicy(st, saved)
	})
}

type retentionPreview struct {
	User  string `placeholder:"NAME" help:"Only this account; without, every one."`
	First int    `default:"10" placeholder:"N" help:"Show this many of those that go first (${default})."`
	policyFlags
}

// userPreview is a preview and whose memories it is about.
type userPreview struct {
	User string `json:"user"`
	api.Preview
}

// Run implements the command.
func (c *retentionPreview) Run(r *run) error {
	return r.reading(func(st *stores) error {
		people, err := whose(r, st, c.User)
		if err != nil {
			return err
		}
		now, err := st.retention.Settings(r.ctx)
		if err != nil {
			return err
		}
		change, err := c.change(now.Retention, now.Revision)
		if err != nil {
			return err
		}
		list := []userPreview{}
		for _, p := range people {
			v, err := st.retention.Preview(r.ctx, db.AccountID(p.ID), api.PreviewRequest{Policy: change, Limit: c.First})
			if err != nil {
				return err
			}
			list = append(list, userPreview{p.Name, v})
		}
		return r.show(list, func(w io.Writer) {
			for _, v := range list {
				fmt.Fprintf(w, "%s: %d eligible at the sweep of %s, which may take %d; %d would go within 30 days.\n",
					visible(v.User), v.Due, short(v.SweepAt), v.NextSweep, v.Within30)
				for _, row := range v.First {
					fmt.Fprintf(w, "  %d  importance %d, %s  %s\n", row.ID, row.Importance, row.Reason, excerpt(row.Body))
				}
			}
		})
	})
}

// excerpt is the beginning of a text on one line.
func excerpt(text string) string {
	text = visible(strings.Join(strings.Fields(text), " "))
	const most = 60
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

type retentionSweep struct {
	DryRun bool `help:"Say what it would do, and do nothing."`
}

// Run implements the command.
func (c *retentionSweep) Run(r *run) error {
	return r.with(func(st *stores) error {
		sweep := st.retention.Sweep
		if c.DryRun {
			sweep = st.retention.DryRun
		}
		swept, err := sweep(r.ctx)
		if err != nil {
			return err
		}
		t := swept.Total()
		out := map[string]int{"trashed": t.Trashed, "due": t.Due, "refused": t.Refused}
		return r.show(out, func(w io.Writer) {
			verb := "Moved %d to the trash"
			if c.DryRun {
				verb = "Would move %d to the trash"
			}
			fmt.Fprintf(w, verb+", of %d eligible; %d wait for the daily limit.\n", t.Trashed, t.Due, t.Refused)
			for _, a := range swept.Accounts {
				for _, d := range a.Plan {
					if d.Verdict == retention.Trash {
						fmt.Fprintf(w, "  account %d, memory %d, importance %d: %s\n", a.Owner, d.ID, d.Importance, d.Reason)
					}
				}
			}
		})
	})
}
