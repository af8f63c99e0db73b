package browser

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A server of others is added, tested, switched off and removed; what is wrong with one is
// said in words.
func TestServersInTheApp(t *testing.T) {
	of := mcp.NewServer(&mcp.Implementation{Name: "harbour", Version: "1"}, nil)
	of.AddTool(&mcp.Tool{Name: "tides", Description: "When the water is high.", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{}, nil
		})
	wanted := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return of }, nil)
	f := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Key") != "sesame" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		wanted.ServeHTTP(w, r)
	}))
	defer f.Close()
	s := Serve(t)
	w := Open(t).Person().Window("admin")
	signUp(t, s, w)
	w.Visit(s.URL("/account?part=tools"))
	w.See("None yet.")
	w.Press("Add")
	w.See("Give it a short name.")
	w.Fill("Short name", "harbour")
	w.Fill("Address", f.URL)
	w.Fill("Headers, such as Authorization: Bearer …, one a line", "X-Key sesame")
	w.Press("Add")
	w.See("Each line needs a name, a colon and a value.")
	w.Fill("Headers, such as Authorization: Bearer …, one a line", "X-Key: sesame")
	w.Press("Add")
	w.SeeIn(".item", "harbour")
	w.SeeIn(".item", "with X-Key")
	w.Press("Test")
	w.SeeIn(".item", "It answers, with 1 tool.")
	w.SeeIn(".item", "harbour__tides")
	w.Press("Switch off")
	w.SeeIn(".item", "off")
	w.Press("Switch on")
	w.Press("A program on this machine")
	w.See("It runs as the user of elowen itself")
	w.Fill("Short name", "lost")
	w.Fill("Program", "/nowhere/program")
	w.Press("Add")
	w.SeeIn(".item", "/nowhere/program")
	w.Await("its test", `(() => { const i = [...document.querySelectorAll(".item")].find(i => i.textContent.includes("/nowhere")); i.querySelector("[data-do=test-server]").click(); return true })()`)
	w.See("There is no such program on this machine.")
	w.Await("its removal", `(() => { const i = [...document.querySelectorAll(".item")].find(i => i.textContent.includes("/nowhere")); i.querySelector("[data-do=remove-server]").click(); return true })()`)
	w.Press("Remove")
	w.Gone("/nowhere/program")
}
