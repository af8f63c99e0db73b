package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// AxeEnv names the variable with the path of axe-core's script, which ./build.sh
// fetches. It is no part of the repository.
const AxeEnv = "ELOWEN_AXE"

// Violation is a rule of axe-core that a page breaks.
type Violation struct {
	ID    string `json:"id"`
	Help  string `json:"help"`
	Nodes []struct {
		HTML    string `json:"html"`
		Target  []any  `json:"target"`
		Summary string `json:"failureSummary"`
	} `json:"nodes"`
}

// String is the rule and the first elements that break it.
func (v Violation) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s (%d elements)", v.ID, v.Help, len(v.Nodes))
	for i, n := range v.Nodes {
		if i == 4 {
			break
		}
		fmt.Fprintf(&b, "\n    %v %s\n      %s", n.Target, clip(n.HTML, 160), strings.ReplaceAll(n.Summary, "\n", " "))
	}
	return b.String()
}

// axeRun asks for the rules of WCAG 2.2 A and AA and what is good practice. The size of
// targets is off by default, since it is new.
const axeRun = `axe.run(document, {
	resultTypes: ["violations"],
	runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22a", "wcag22aa", "best-practice"],
	rules: {"target-size": {enabled: true}},
}).then(said)`

// axeColours asks for the rules about colours only.
const axeColours = `axe.run(document, {resultTypes: ["violations"], runOnly: {type: "rule", values: ["color-contrast", "link-in-text-block"]}}).then(said)`

// axeSaid is what of an answer is needed here.
const axeSaid = `var said = r => JSON.stringify({violations: r.violations, passes: r.passes.length});`

// Axe looks at the page with axe-core, by all rules or by those of colours, and gives
// what it breaks, and how many it keeps. The script is the driver's, in a world of its own: the page's policy stays as
// strict as it is, and the page doesn't notice.
func (w *Window) Axe(all bool) (violations []Violation, kept int) {
	w.t.Helper()
	script, err := os.ReadFile(os.Getenv(AxeEnv))
	if err != nil {
		w.t.Fatalf("axe-core: %v; ./build.sh test fetches it", err)
	}
	ctx, cancel := context.WithTimeout(w.ctx, 2*Patience)
	defer cancel()
	var world runtime.ExecutionContextID
	tree, err := chromedp.Call(ctx, page.GetFrameTree, cdp.Empty{})
	if err == nil {
		var made page.CreateIsolatedWorldResult
		made, err = chromedp.Call(ctx, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: tree.FrameTree.Frame.ID, WorldName: "axe"})
		world = made.ExecutionContextID
	}
	yes := true
	evaluate := func(expression string) string {
		if err != nil {
			return ""
		}
		var got runtime.EvaluateResult
		got, err = chromedp.Call(ctx, runtime.Evaluate, runtime.EvaluateParams{Expression: expression, ContextID: world, ReturnByValue: &yes, AwaitPromise: &yes})
		if err == nil && got.ExceptionDetails != nil {
			err = fmt.Errorf("%s %s", got.ExceptionDetails.Text, got.ExceptionDetails.Exception.Description)
		}
		if err != nil || got.Result == nil {
			return ""
		}
		var s string
		_ = json.Unmarshal(got.Result.Value, &s)
		return s
	}
	if evaluate(`typeof globalThis.axe`) == "undefined" {
		evaluate(string(script) + ";" + axeSaid + "'loaded'")
	}
	ask := axeColours
	if all {
		ask = axeRun
	}
	said := evaluate(ask)
	var result struct {
		Violations []Violation `json:"violations"`
		Passes     int         `json:"passes"`
	}
	if err == nil {
		err = json.Unmarshal([]byte(said), &result)
	}
	if err != nil {
		w.fail("axe-core: %v", err)
	}
	return result.Violations, result.Passes
}

// Theme draws the page in a theme, without keeping the choice, and waits until what
// moves has come to its end.
func (w *Window) Theme(name string) {
	w.t.Helper()
	Promise[bool](w, `(async () => {
		document.documentElement.setAttribute("data-theme", `+quote(name)+`);
		await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
		for (const a of document.getAnimations()) try { a.finish() } catch { /* one without an end */ }
		await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
		return true })()`)
}
