package page

import (
	"strconv"
	"strings"

	"elowen/app/browser"
	"elowen/app/part"
	"elowen/app/sync"
	"elowen/app/tag"
	"elowen/app/text"
	"elowen/shared/api"
	"elowen/shared/setting"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Tuning is the settings page of recall and its limits. Its fields are rows of the
// table of settings, under their keys.
type Tuning struct {
	app.Compo
	S   *Session
	Rev int

	form
}

// The fields of the form, by their keys in the table.
var (
	tuningRuntime = []string{
		"runtime.relevanceFloor", "runtime.duplicateThreshold", "runtime.paraphraseThreshold",
		"runtime.importanceWeight", "runtime.vitalityWeight", "runtime.lateInteraction",
		"runtime.fileTools", "runtime.privateServers",
	}
	tuningLimits = []string{"limits.recallCount", "limits.recallBytes", "limits.recallWaitMs", "limits.liveSearches", "limits.livePerSearch", "limits.liveBytes"}
)

// ofGroup is the group of a key, and its name in there.
func ofGroup(now settingsNow, key string) (group map[string]any, name string) {
	if name, limit := strings.CutPrefix(key, "limits."); limit {
		return now.Limits, name
	}
	return now.Runtime, strings.TrimPrefix(key, "runtime.")
}

// tuned are the values of the fields: empty is the model's own or the default.
func tuned(now settingsNow) map[string]string {
	out := map[string]string{}
	for _, list := range [][]string{tuningRuntime, tuningLimits} {
		for _, key := range list {
			group, name := ofGroup(now, key)
			switch v := group[name].(type) {
			case float64:
				out[key] = shown(setting.Get(key), v)
			case bool:
				out[key] = strconv.FormatBool(v)
			default:
				out[key] = ""
			}
		}
	}
	return out
}

// OnMount begins the form.
func (p *Tuning) OnMount(ctx app.Context) {
	defer browser.Survive("tuning")
	p.values = tuned
	p.named = func(problem string) string {
		for _, list := range [][]string{tuningRuntime, tuningLimits} {
			for _, key := range list {
				if strings.HasSuffix(key, "."+problem) {
					return key
				}
			}
		}
		return ""
	}
	p.begin(p.S, ctx)
}

// OnUpdate follows what others save.
func (p *Tuning) OnUpdate(app.Context) { p.follow() }

// OnDismount ends it.
func (p *Tuning) OnDismount() { p.load.stop() }

func (p *Tuning) typing(_ app.Context, e app.Event) {
	defer browser.Survive("tuning")
	p.input(e)
}

func (p *Tuning) click(ctx app.Context, e app.Event) {
	defer browser.Survive("tuning")
	act, ok := browser.Acted(e)
	switch {
	case ok && act.Do == "form-save":
		p.save(text.TuningSaved, p.changes()...)
	case ok && act.Do == "form-discard":
		p.discard()
	case ok && act.Do == "form-own":
		p.typed[act.Arg] = ""
		if s := setting.Get(act.Arg); s.Kind == setting.Bool {
			p.typed[act.Arg] = strconv.FormatBool(s.Default != 0)
		}
		delete(p.errs, act.Arg)
		p.fill()
	default:
		ctx.PreventUpdate()
	}
}

// changes are the fields that were changed, a write for each group; null is the
// model's own, or the default.
func (p *Tuning) changes() (list []sync.Write) {
	for _, g := range []struct {
		path string
		keys []string
	}{{api.PathRuntime, tuningRuntime}, {api.PathLimits, tuningLimits}} {
		body := map[string]any{}
		for _, key := range g.keys {
			if !p.changed(key) {
				continue
			}
			_, name := ofGroup(*p.base, key)
			body[name] = nil
			if setting.Get(key).Kind == setting.Bool {
				body[name] = p.typed[key] == "true"
			} else if n, ok := p.number(key, key); ok {
				body[name] = n
			}
		}
		if len(body) > 0 {
			list = append(list, sync.Write{Path: g.path, Body: body})
		}
	}
	return list
}

// Render draws the page.
func (p *Tuning) Render() app.UI {
	return part.Safe("tuning", func() app.UI {
		return p.page(p.S, recallSettings, text.RecallHead, text.RecallWhy, p.click, p.typing, func() []app.UI {
			return []app.UI{p.S.indexLine(true), p.section(text.Thresholds, tuningRuntime), p.section(text.LimitsHead, tuningLimits)}
		})
	})
}

func (p *Tuning) section(head string, keys []string) app.UI {
	rows := []app.UI{tag.Box("div", "section-head", tag.Words("h2", "", head))}
	for _, key := range keys {
		s := setting.Get(key)
		_, name := ofGroup(*p.base, key)
		if s.Kind == setting.Bool {
			rows = append(rows, p.row(key, s.Label, s.Help,
				tag.Input().ID("f-"+key).Class("switch").Attr("type", "checkbox").Role("switch").Attr("checked", p.typed[key] == "true").Aria("describedby", "f-"+key+"-h")))
			continue
		}
		own, known := p.base.Profile[name].(float64)
		if !known {
			own = s.Default
		}
		hint := text.Own(shown(s, own), known)
		back := part.IconButton("btn btn-sm btn-quiet", "form-own", key, hint, "rotate-ccw")
		rows = append(rows, p.row(key, s.Label, text.HelpRange(s),
			p.field(key, "input num-input input-own", "text", hint).Attr("inputmode", "decimal"),
			tag.Words("span", "meta unit", text.Unit(s)),
			back.Attr("disabled", p.typed[key] == ""),
		))
	}
	return tag.Box("section", "section", rows...)
}
