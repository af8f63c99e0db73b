package page

import (
	"context"
	"errors"
	"strings"

	"elowen/app/browser"
	"elowen/app/part"
	"elowen/app/sync"
	"elowen/app/tag"
	"elowen/app/text"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Setup makes the first account and the first memory.
type Setup struct {
	app.Compo
	S    *Session
	Code string

	ctx     app.Context
	over    bool  // there is an account already
	step    int   // 0 account, 1 first memory, 2 what next
	made    int64 // the first memory; 0 where it was skipped
	errs    map[string]string
	problem string
	busy    bool
	bytes   int
	intent  sync.Intention
}

// OnMount takes the focus.
func (p *Setup) OnMount(ctx app.Context) {
	defer browser.Survive("setup")
	p.ctx = ctx
	p.errs = map[string]string{}
	p.ask()
	if p.Code == "" {
		browser.Focus(browser.ByID("setup-code"))
		return
	}
	browser.Focus(browser.ByID("setup-name"))
}

// ask finds out whether there is a first account to be made at all.
func (p *Setup) ask() {
	var state api.SetupState
	p.S.async(api.PathSetup, func(ctx context.Context) error { return p.S.api.Get(ctx, api.PathSetup, &state) }, func(err error) {
		if err != nil || state.Needed || p.busy || p.step > 0 {
			return // where it isn't known, the server tells with the form
		}
		p.over = true
		p.ctx.Update()
		p.ctx.Defer(func(app.Context) { browser.Focus(browser.Query(browser.Document(), ".setup-step .btn")) })
	})
}

// key saves the first memory as in every other form.
func (p *Setup) key(ctx app.Context, e app.Event) {
	defer browser.Survive("setup")
	if p.step == 1 && browser.Key(e) == "Enter" && (browser.Flag(e, "ctrlKey") || browser.Flag(e, "metaKey")) {
		p.submit(ctx, e)
		return
	}
	ctx.PreventUpdate()
}

func (p *Setup) value(id string) string {
	v, _ := browser.Value(browser.ByID(id))
	return v
}

func (p *Setup) input(ctx app.Context, e app.Event) {
	defer browser.Survive("setup")
	if p.step == 1 {
		p.bytes = len(p.value("setup-body"))
		p.keep()
		return
	}
	ctx.PreventUpdate()
}

func (p *Setup) submit(ctx app.Context, e app.Event) {
	defer browser.Survive("setup")
	e.PreventDefault()
	if p.busy {
		return
	}
	p.errs, p.problem = map[string]string{}, ""
	switch p.step {
	case 0:
		p.account()
	case 1:
		p.first()
	}
}

func (p *Setup) account() {
	code := p.value("setup-code")
	if code == "" {
		code = p.Code
	}
	body := api.Setup{Code: strings.TrimSpace(code), Name: strings.TrimSpace(p.value("setup-name")), Password: p.value("setup-password")}
	least := int(setting.Get("account.password").Min)
	if body.Name == "" {
		p.errs["name"] = text.NeedName
	}
	if len([]rune(body.Password)) < least {
		p.errs["password"] = text.PasswordShort(least)
	}
	if body.Code == "" {
		p.errs["code"] = text.NeedCode
	}
	if len(p.errs) > 0 {
		return
	}
	p.busy = true
	p.S.sendAs(sync.Write{Method: "POST", Path: api.PathSetup, Body: body, Key: p.intent.Key(api.PathSetup, body)}, func(err error) {
		p.busy = false
		if err != nil {
			p.show(err)
			return
		}
		p.intent.Done()
		p.step = 1
		p.whose()
		p.ctx.Update()
		// The code has done its work; it needn't stand in the address any longer.
		browser.Window().Get("history").Call("replaceState", nil, "", browser.Path("/setup"))
		p.ctx.Defer(func(app.Context) { browser.Focus(browser.ByID("setup-body")) })
	})
}

func (p *Setup) first() {
	text_ := strings.TrimSpace(p.value("setup-body"))
	if text_ == "" {
		p.errs["body"] = text.BodyEmpty
		return
	}
	body := api.MemoryAdd{Body: text_}
	var out api.MemoryAdded
	p.busy = true
	p.S.send(sync.Write{Method: "POST", Path: api.PathMemory, Body: body, Out: &out, Key: p.intent.Key(api.PathMemory, body)}, func(err error) {
		p.busy = false
		if err != nil {
			p.show(err)
			return
		}
		browser.SetDraft(formNew, "")
		p.next(out.ID)
	})
}

// whose asks who the new account is: what is typed from now on is theirs.
func (p *Setup) whose() {
	var me api.Me
	p.S.async(api.PathMe, func(ctx context.Context) error { return p.S.api.Get(ctx, api.PathMe, &me) }, func(err error) {
		if err == nil {
			p.S.me = &me
			p.S.hold(me)
			p.keep()
		}
	})
}

// keep keeps what is typed where a new memory finds it, if this page is lost.
func (p *Setup) keep() {
	body := p.value("setup-body")
	if p.S.me == nil || p.step != 1 {
		return
	}
	if strings.TrimSpace(body) == "" {
		browser.SetDraft(formNew, "")
		return
	}
	d := draftOf(blank(p.S))
	d.Body = body
	keepDraft(formNew, d)
}

// next goes on to what one could do now.
func (p *Setup) next(id int64) {
	p.step, p.made = 2, id
	p.ctx.Update()
	p.ctx.Defer(func(app.Context) { browser.Focus(browser.Query(browser.Document(), ".setup-step .option")) })
}

func (p *Setup) show(err error) {
	var e *fault.Error
	if errors.As(err, &e) {
		for _, f := range e.Fields {
			p.errs[f.Field] = f.Message
		}
	}
	if len(p.errs) == 0 {
		p.problem = words(err)
	}
	p.ctx.Update()
	p.ctx.Defer(func(app.Context) {
		if field := browser.ByID("setup-code"); field.Truthy() && p.value("setup-code") == "" {
			browser.SetValue(field, p.Code)
		}
	})
}

func (p *Setup) click(ctx app.Context, e app.Event) {
	defer browser.Survive("setup")
	if act, ok := browser.Acted(e); ok && act.Do == "skip" {
		p.next(0)
	}
}

// Render draws the step.
func (p *Setup) Render() app.UI {
	return part.Safe("setup", func() app.UI {
		if p.over {
			return before(tag.Box("div", "setup-form", tag.Box("p", "brand", part.Brand()...), p.closed()))
		}
		var form app.UI
		switch p.step {
		case 0:
			form = p.accountForm()
		case 1:
			form = p.memoryForm()
		default:
			form = p.nextSteps()
		}
		return before(tag.Form().Class("setup-form").OnSubmit(p.submit).OnInput(p.input).OnKeyDown(p.key).OnClick(p.click).Attr("novalidate", "true").Body(
			tag.Box("p", "brand", part.Brand()...),
			p.steps(),
			form,
		))
	})
}

func (p *Setup) steps() app.UI {
	names := []string{text.StepAccount, text.StepMemory, text.StepNext}
	items := make([]app.UI, len(names))
	for i, name := range names {
		li := tag.Li()
		switch {
		case i < p.step:
			items[i] = li.Body(part.Icon("check"), part.Text(name))
		case i == p.step:
			items[i] = li.Aria("current", "step").Body(part.Text(name))
		default:
			items[i] = li.Body(part.Text(name))
		}
	}
	return tag.Box("ol", "steps", items...)
}

// closed is what there is to do where the first account was made.
func (p *Setup) closed() app.UI {
	link := func(class string, to kind, label string) app.UI {
		return tag.A().Class(class).Attr("href", browser.Path(route{Kind: to}.path())).Text(label)
	}
	return tag.Div().Class("setup-step").DataSet("step", "closed").Role("status").Body(
		tag.Box("div", "", tag.Words("h1", "", text.SetupClosed), tag.Words("p", "muted", text.SetupOver)),
		tag.Box("div", "line", link("btn btn-primary", loginPage, text.SignIn), link("btn btn-quiet", listPage, text.ToTheList)),
	)
}

func (p *Setup) accountForm() app.UI {
	label := text.MakeAccount
	if p.busy {
		label = text.Working
	}
	codeField := tag.Box("div", "field",
		field("setup-code", text.Code, tag.Input().Class("input mono").Attr("type", "text").Attr("autocomplete", "off").Attr("spellcheck", "false"), p.errs["code"]),
		tag.Words("p", "meta", text.CodeHint))
	if p.Code != "" && p.errs["code"] == "" && p.problem == "" {
		// The link carried it; nobody has to look at it.
		codeField = tag.Div().Hidden(true)
	}
	return tag.Div().Class("setup-step").DataSet("step", "account").Body(
		tag.Box("div", "", tag.Words("h1", "", text.SetupHead), tag.Words("p", "muted", text.SetupWhy)),
		field("setup-name", text.Name, tag.Input().Class("input").Attr("type", "text").Attr("autocomplete", "username").Attr("autocapitalize", "off").Attr("spellcheck", "false"), p.errs["name"]),
		tag.Box("div", "field",
			field("setup-password", text.Password, tag.Input().Class("input").Attr("type", "password").Attr("autocomplete", "new-password"), p.errs["password"]),
			tag.Words("p", "meta", text.PasswordRule(int(setting.Get("account.password").Min))),
		),
		codeField,
		problem(p.problem),
		tag.Box("div", "line", tag.Button().Class("btn btn-primary").Attr("type", "submit").Attr("disabled", p.busy).Text(label)),
	)
}

func (p *Setup) memoryForm() app.UI {
	most := int(setting.Get("memory.body").Max)
	count := ""
	if p.bytes > most/2 {
		count = text.Bytes(p.bytes, most)
	}
	label := text.SaveGoOn
	if p.busy {
		label = text.Saving
	}
	body := tag.Textarea().ID("setup-body").Class("input memory-text").Attr("rows", 3).Attr("dir", "auto").Aria("describedby", "setup-count")
	if p.errs["body"] != "" {
		body = body.Aria("invalid", "true")
	}
	return tag.Div().Class("setup-step").DataSet("step", "memory").Body(
		tag.Box("div", "", tag.Words("h1", "", text.FirstHead), tag.Words("p", "muted", text.FirstWhy)),
		tag.Box("div", "field",
			tag.Label().Attr("for", "setup-body").Text(text.Memory),
			body,
			tag.P().ID("setup-count").Class("meta num").Text(text.Join(count, text.FirstHint)),
			part.If(p.errs["body"] != "", func() app.UI { return tag.P().Class("err").Role("alert").Text(p.errs["body"]) }),
		),
		problem(p.problem),
		tag.Box("div", "line",
			tag.Button().Class("btn btn-primary").Attr("type", "submit").Attr("disabled", p.busy).Text(label),
			part.Button("btn btn-quiet", "skip", "", part.Text(text.Skip)),
		),
	)
}

// nextSteps are the ways on.
func (p *Setup) nextSteps() app.UI {
	head, why, first := text.NextHead, text.NextWhy, option(route{Kind: listPage, ID: p.made}, "leaf", text.SeeIt, text.SeeItHint)
	if p.made == 0 {
		head, why, first = text.NextSkipped, text.NextSkipWhy, option(route{Kind: listPage}, "list", text.OpenList, text.OpenHint)
	}
	return tag.Div().Class("setup-step").DataSet("step", "next").Body(
		tag.Box("div", "", tag.Words("h1", "", head), tag.Words("p", "muted", why)),
		tag.Box("div", "options",
			first,
			option(route{Kind: transferPage}, "upload", text.ImportHead, text.BringHint),
			option(route{Kind: connectPage}, "plug", text.ConnectHead, text.ConnectHint),
		),
	)
}

// option is one way on, with a word about it.
func option(to route, icon, label, hint string) app.UI {
	return tag.A().Class("option").Attr("href", browser.Path(to.path())).Body(
		part.Icon(icon), tag.Words("b", "", label), tag.Words("span", "meta", hint),
		tag.Box("span", "end", part.Icon("chevron-right")),
	)
}
