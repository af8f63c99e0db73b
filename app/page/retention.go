package page

import (
	"context"
	"errors"
	"maps"
	"math"
	"strconv"
	"strings"
	"time"

	"elowen/app/browser"
	"elowen/app/sync"
	"elowen/app/text"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/live"
	"elowen/shared/setting"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// The number fields of the policy, in the order of the form. Half-lives follow as
// "hl1" to "hl10".
const (
	fieldGrace = "graceDays"
	fieldFloor = "vitalityFloor"
	fieldLimit = "dailyDeletionLimit"
)

// previewPause is how long the form must rest before the server is asked what it
// would do.
const previewPause = 350 * time.Millisecond

// Retention is the settings page of the retention policy.
type Retention struct {
	app.Compo
	S   *Session
	Rev int

	ctx     app.Context
	base    *live.SettingsRow // what the form was begun with
	typed   map[string]string // what stands in the number fields
	enabled bool
	errs    map[string]string
	problem string
	clash   map[string]bool // fields that somebody else changed too
	busy    bool
	intent  sync.Intention

	timer    *time.Timer
	asked    int
	preview  *api.Preview // of what is typed
	saved    *api.Preview // of the policy in force
	thinking bool

	curves      *api.Curves // of what is typed
	savedCurves *api.Curves // of the policy in force
	drawnFor    int64       // the revision that savedCurves are of
	drawing     bool        // curves are asked for
	redraw      bool        // and were typed over since
}

// OnMount begins the form.
func (p *Retention) OnMount(ctx app.Context) {
	defer browser.Survive("retention")
	p.ctx, p.errs = ctx, map[string]string{}
	reveal(ctx)
	p.follow()
}

// OnUpdate takes a newer policy over, unless something is being typed.
func (p *Retention) OnUpdate(app.Context) {
	defer browser.Survive("retention")
	if p.ctx.Context != nil {
		p.follow()
	}
}

// OnDismount stops what still waits.
func (p *Retention) OnDismount() {
	if p.timer != nil {
		p.timer.Stop()
	}
}

func (p *Retention) follow() {
	row := p.S.policy
	switch {
	case row == nil || p.base == row:
	case p.base == nil:
		p.base = row
		p.reset()
		p.ask()
	case row.Revision == p.base.Revision:
		p.base = row
	case row.Revision > p.base.Revision:
		p.adopt(row)
	}
}

// adopt makes a newer policy the one that the form is compared with.
func (p *Retention) adopt(row *live.SettingsRow) {
	old, typed := formOf(p.base.Policy), p.standing()
	p.base = row
	merged, clash := mergeForm(old, formOf(row.Policy), typed)
	for field := range p.clash {
		if p.changed(field) {
			clash[field] = true // of an earlier change, and not settled since
		}
	}
	p.take(merged, clash)
}

// take shows another form, with what clashes in it.
func (p *Retention) take(f policyForm, clash map[string]bool) {
	p.typed, p.enabled, p.clash = f.values, f.enabled, clash
	for field := range p.errs {
		if !p.changed(field) {
			delete(p.errs, field)
		}
	}
	p.fill()
	p.ask()
}

// standing is what stands in the form.
func (p *Retention) standing() policyForm {
	return policyForm{values: maps.Clone(p.typed), enabled: p.enabled}
}

// clashes tells whether somebody else saved another value for a field that was
// typed in and still differs.
func (p *Retention) clashes() bool {
	for field := range p.clash {
		if p.changed(field) {
			return true
		}
	}
	return false
}

// reset fills the form with the policy in force.
func (p *Retention) reset() {
	p.typed, p.errs, p.clash, p.problem = valuesOf(p.base.Policy), map[string]string{}, nil, ""
	p.enabled = p.base.Policy.Enabled
	p.fill()
}

func valuesOf(pol api.Policy) map[string]string {
	v := map[string]string{
		fieldGrace: setting.Format(pol.GraceDays),
		fieldFloor: setting.Format(pol.VitalityFloor),
		fieldLimit: setting.Format(pol.DailyDeletionLimit),
	}
	for i, d := range pol.HalfLifeDays {
		v[hl(i+1)] = setting.Format(d)
	}
	return v
}

func hl(importance int) string { return "hl" + strconv.Itoa(importance) }

// fieldSetting is the row of the setting table that a field belongs to.
func fieldSetting(field string) setting.Setting {
	if n, err := strconv.Atoi(strings.TrimPrefix(field, "hl")); err == nil {
		return setting.Get(setting.HalfLifeKey(n))
	}
	return setting.Get("retention." + field)
}

func (p *Retention) fill() {
	p.ctx.Defer(func(app.Context) {
		for field, v := range p.typed {
			browser.SetValue(browser.ByID("ret-"+field), v)
			if s := browser.ByID("range-" + field); s.Truthy() {
				browser.SetValue(s, strconv.Itoa(slider(v)))
			}
		}
	})
}

// The sliders are logarithmic: a day more matters at one, not at a hundred.
const sliderSteps = 1000

func slider(v string) int {
	d, err := strconv.ParseFloat(v, 64)
	s := setting.Get(setting.HalfLifeKey(1))
	if err != nil || d <= 0 {
		return 0
	}
	return int(math.Round(sliderSteps * math.Log(s.Clamp(d)/s.Min) / math.Log(s.Max/s.Min)))
}

func slid(at int) string {
	s := setting.Get(setting.HalfLifeKey(1))
	d := s.Min * math.Pow(s.Max/s.Min, float64(at)/sliderSteps)
	switch {
	case d >= 10:
		d = math.Round(d)
	case d >= 2:
		d = math.Round(d*2) / 2
	default:
		d = math.Round(d*10) / 10
	}
	return setting.Format(s.Clamp(d))
}

func (p *Retention) input(ctx app.Context, e app.Event) {
	defer browser.Survive("retention")
	target := e.Get("target")
	if p.base == nil || !target.Get("id").Truthy() {
		return
	}
	id := target.Get("id").String()
	v, _ := browser.Value(target)
	switch {
	case id == "ret-enabled":
		p.enabled = browser.Checked(target)
	case strings.HasPrefix(id, "range-"):
		field := strings.TrimPrefix(id, "range-")
		at, _ := strconv.Atoi(v)
		p.typed[field] = slid(at)
		browser.SetValue(browser.ByID("ret-"+field), p.typed[field])
		delete(p.errs, field)
	case strings.HasPrefix(id, "ret-"):
		field := strings.TrimPrefix(id, "ret-")
		p.typed[field] = v
		if s := browser.ByID("range-" + field); s.Truthy() {
			browser.SetValue(s, strconv.Itoa(slider(v)))
		}
		p.checkField(field)
	}
	p.ask()
}

func (p *Retention) checkField(field string) (float64, bool) {
	v, err := strconv.ParseFloat(strings.Replace(strings.TrimSpace(p.typed[field]), ",", ".", 1), 64)
	s := fieldSetting(field)
	if err != nil || !s.Contains(v) || s.Kind == setting.Whole && v != math.Trunc(v) {
		p.errs[field] = text.OutOfBounds(s)
		return 0, false
	}
	delete(p.errs, field)
	return v, true
}

// changes counts the fields that differ from the policy in force.
func (p *Retention) dirty() int {
	if p.base == nil || p.typed == nil {
		return 0
	}
	n := 0
	for field, v := range valuesOf(p.base.Policy) {
		if strings.TrimSpace(p.typed[field]) != v {
			n++
		}
	}
	if p.enabled != p.base.Policy.Enabled {
		n++
	}
	return n
}

// change is the form as the server takes it; ok is false where a field is out of
// bounds.
func (p *Retention) change() (c api.PolicyChange, ok bool) {
	ok = true
	number := func(field string) *float64 {
		v, good := p.checkField(field)
		ok = ok && good
		return &v
	}
	c = api.PolicyChange{
		Revision: p.base.Revision, Enabled: api.Ptr(p.enabled),
		GraceDays: number(fieldGrace), VitalityFloor: number(fieldFloor), DailyDeletionLimit: number(fieldLimit),
	}
	for i := range p.base.Policy.HalfLifeDays {
		c.HalfLifeDays = append(c.HalfLifeDays, *number(hl(i + 1)))
	}
	return c, ok
}

// ask asks the server, after a pause, what the form would do.
func (p *Retention) ask() {
	if p.timer != nil {
		p.timer.Stop()
	}
	p.asked++
	asked := p.asked
	p.thinking = true
	p.timer = time.AfterFunc(previewPause, func() {
		p.S.do(func() { p.previewNow(asked) })
	})
	p.draw()
}

// draw asks for the curves of what stands in the form, at once and one after the
// other, so that they follow the hand. What they come to is asked for when it rests.
func (p *Retention) draw() {
	if p.drawing {
		p.redraw = true
		return
	}
	change, ok := p.change()
	if !ok {
		return
	}
	p.drawing, p.redraw = true, false
	revision, fresh := p.base.Revision, p.drawnFor != p.base.Revision
	var typed, saved api.Preview
	p.S.async("curves", func(ctx context.Context) error {
		ask := func(c api.PolicyChange, out *api.Preview) error {
			return p.S.api.Send(ctx, sync.Write{Method: "POST", Path: api.PathPreview, Body: api.PreviewRequest{Policy: c, Days: setting.Int("preview.days"), Only: "curves"}, Out: out})
		}
		if fresh {
			if err := ask(api.PolicyChange{Revision: revision}, &saved); err != nil {
				return err
			}
		}
		return ask(change, &typed)
	}, func(err error) {
		p.drawing = false
		if err == nil {
			if p.curves = typed.Curves; fresh {
				p.savedCurves, p.drawnFor = saved.Curves, revision
			}
		}
		if p.redraw {
			p.draw()
		}
		p.ctx.Update()
	})
}

func (p *Retention) previewNow(asked int) {
	if asked != p.asked || p.base == nil {
		return
	}
	change, ok := p.change()
	if !ok {
		p.thinking = false
		p.ctx.Update()
		return
	}
	var typed, saved api.Preview
	s := p.S
	s.async(api.PathPreview, func(ctx context.Context) error {
		post := func(c api.PolicyChange, out *api.Preview) error {
			return s.api.Send(ctx, sync.Write{Method: "POST", Path: api.PathPreview, Body: api.PreviewRequest{Policy: c, Limit: 6}, Out: out})
		}
		if err := post(change, &typed); err != nil {
			return err
		}
		return post(api.PolicyChange{Revision: change.Revision}, &saved)
	}, func(err error) {
		if asked != p.asked {
			return
		}
		p.thinking = false
		if err == nil {
			p.preview, p.saved = &typed, &saved
		}
		p.ctx.Update()
	})
}

func (p *Retention) click(ctx app.Context, e app.Event) {
	defer browser.Survive("retention")
	act, ok := browser.Acted(e)
	if !ok {
		ctx.PreventUpdate()
		return
	}
	switch act.Do {
	case "ret-save":
		p.save()
	case "ret-discard":
		p.reset()
		p.ask()
	case "ret-defaults", "ret-all-defaults":
		for field := range p.typed {
			if act.Do == "ret-all-defaults" || strings.HasPrefix(field, "hl") {
				p.typed[field] = setting.Format(fieldSetting(field).Default)
				delete(p.errs, field)
			}
		}
		if act.Do == "ret-all-defaults" {
			p.enabled = setting.Int("retention.enabled") != 0
		}
		p.fill()
		p.ask()
	}
}

// standard tells whether the form has the default everywhere, or in the half-lives.
func (p *Retention) standard(everywhere bool) bool {
	for field, v := range p.typed {
		if (everywhere || strings.HasPrefix(field, "hl")) && strings.TrimSpace(v) != setting.Format(fieldSetting(field).Default) {
			return false
		}
	}
	return !everywhere || p.enabled == (setting.Int("retention.enabled") != 0)
}

// changes names what differs from the policy in force, in the order of the form.
func (p *Retention) changes() []string {
	var list []string
	if on := setting.Get("retention.enabled"); p.enabled != p.base.Policy.Enabled {
		list = append(list, text.SwitchChange(on.Label, p.enabled))
	}
	saved := valuesOf(p.base.Policy)
	name := func(field, label string) {
		if p.changed(field) {
			list = append(list, text.ValueChange(label, saved[field], strings.TrimSpace(p.typed[field])))
		}
	}
	for _, field := range []string{fieldGrace, fieldFloor, fieldLimit} {
		name(field, fieldSetting(field).Label)
	}
	for i := len(p.base.Policy.HalfLifeDays); i >= 1; i-- {
		name(hl(i), text.HalfLifeOf(i))
	}
	return list
}

func (p *Retention) save() {
	change, ok := p.change()
	if !ok || p.busy {
		return
	}
	p.busy, p.problem = true, ""
	sent := p.standing()
	path := api.PathSettings + "/retention"
	var saved api.Settings
	p.S.send(sync.Write{Method: "PUT", Path: path, Body: change, Out: &saved, Key: p.intent.Key(path, change)}, func(err error) {
		p.busy = false
		defer p.ctx.Update()
		switch {
		case fault.Is(err, fault.Stale):
			p.intent.Done()
			if now, ok := sync.Current[api.Settings](err); ok && now.Revision > p.base.Revision {
				p.adopt(p.rowOf(now))
			}
			p.problem = text.PolicyLookAgain
		case err != nil:
			p.fail(err)
		default:
			p.intent.Done()
			if saved.Revision >= p.base.Revision {
				p.base = p.rowOf(saved)
				now, _ := mergeForm(sent, formOf(saved.Retention), p.standing()) // what was typed since stays
				p.take(now, nil)
			}
			p.S.say(text.PolicySaved, nil)
		}
	})
}

// rowOf is the row of the settings with an answer's policy in it.
func (p *Retention) rowOf(now api.Settings) *live.SettingsRow {
	row := *p.base
	row.Policy, row.Revision = now.Retention, now.Revision
	return &row
}

func (p *Retention) fail(err error) {
	var e *fault.Error
	if errors.As(err, &e) {
		for _, f := range e.Fields {
			field := strings.TrimPrefix(f.Field, "retention.")
			if i := strings.IndexByte(field, '['); i > 0 && strings.HasPrefix(field, "halfLifeDays") {
				if n, bad := strconv.Atoi(strings.Trim(field[i:], "[]")); bad == nil {
					field = hl(n + 1)
				}
			}
			p.errs[field] = f.Message
		}
	}
	p.problem = words(err)
}
