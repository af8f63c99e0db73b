package page

import (
	"elowen/app/browser"
	"elowen/app/part"
	"elowen/app/tag"
	"elowen/app/text"
	"elowen/shared/api"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Health is the doctor in the app: what is wrong with the server, and how to mend it.
type Health struct {
	app.Compo
	S   *Session
	Rev int

	load  *loader
	found *api.Doctor
}

// OnMount has the server looked at.
func (p *Health) OnMount(ctx app.Context) {
	defer browser.Survive("health")
	reveal(ctx)
	p.load = loading(p.S, api.PathDoctor, func(found api.Doctor) { p.found = &found })
	p.load.while, p.load.every = text.Looking, -1 // it reads the whole database
	if p.S.admin() {
		p.load.now()
	}
}

// OnDismount ends it.
func (p *Health) OnDismount() { p.load.stop() }

func (p *Health) click(ctx app.Context, e app.Event) {
	defer browser.Survive("health")
	if act, ok := browser.Acted(e); !ok || act.Do != "look" {
		ctx.PreventUpdate()
		return
	}
	p.load.now()
}

// Render draws the page.
func (p *Health) Render() app.UI {
	return part.Safe("health", func() app.UI {
		return settingsFrame(p.S, healthPage, text.HealthHead, text.HealthWhy, p.click, func() []app.UI {
			if p.load == nil {
				return nil
			}
			return []app.UI{p.load.show(p.content)}
		})
	})
}

func (p *Health) content() app.UI {
	failed, warnings := 0, 0
	rows := make([]app.UI, len(p.found.Checks))
	for i, f := range p.found.Checks {
		icon, class, word := "check", "state state-ok", text.StateOK
		switch f.State {
		case api.StateWarning:
			warnings++
			icon, class, word = "info", "state state-warn", text.StateWarn
		case api.StateFailed:
			failed++
			icon, class, word = "triangle-alert", "state state-failed", text.StateFailed
		}
		rows[i] = tag.Li().Class("item finding").DataSet("state", f.State).Body(
			tag.Box("span", class, part.Icon(icon), tag.Words("span", "", word)),
			tag.Box("div", "grow",
				tag.Box("p", "", part.Bold(text.CheckName(f.Check)), part.Text("\u2002"), tag.Words("span", "muted", f.Text)),
				part.If(f.Mend != "", func() app.UI { return tag.Words("p", "mend", text.HowToMend+f.Mend) }),
			),
		)
	}
	sum := part.Banner("plain", "check", part.Text(text.AllWell))
	switch {
	case failed > 0:
		sum = part.Banner("danger", "triangle-alert", part.Text(text.Findings(failed, warnings)))
	case warnings > 0:
		sum = part.Banner("warn", "info", part.Text(text.Findings(failed, warnings)))
	}
	label := text.LookAgain
	if p.load.asking {
		label = text.Looking
	}
	return tag.Box("div", "stack page-parts",
		tag.Div().Role("status").Body(sum),
		part.If(p.S.behind(), func() app.UI { return p.S.indexLine(true) }),
		part.Items(rows...),
		tag.Box("p", "line", part.Button("btn", "look", "", part.Icon("rotate-ccw"), part.Text(label)).Attr("disabled", p.load.asking)),
	)
}
