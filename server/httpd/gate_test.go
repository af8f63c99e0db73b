package httpd

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"elowen/shared/api"
	"elowen/shared/fault"
)

const hour = 3_600_000

func TestHosts(t *testing.T) {
	for _, c := range []struct {
		gate    GateOptions
		allowed string
		refused string
	}{
		{GateOptions{Addr: "127.0.0.1:4400"}, "localhost localhost:4400 LOCALHOST:1 127.0.0.1:4400 127.0.0.2 [::1]:4400 [::1] localhost.", "evil.example 192.168.1.5:4400 localhost.evil.example 127.0.0.1.nip.io 0x7f000001 - 10.0.0.1"},
		{GateOptions{Addr: "192.168.1.5:4400"}, "192.168.1.5:4400 192.168.1.5 localhost", "192.168.1.6 evil.example"},
		{GateOptions{Addr: "memory.lan:4400"}, "memory.lan:4400 Memory.LAN localhost", "evil.example 192.168.1.6"},
		{GateOptions{Addr: "0.0.0.0:4400"}, "192.168.1.5:4400 [fe80::1]:4400 localhost", "evil.example"},
		{GateOptions{Addr: ":4400"}, "192.168.1.5 localhost", "evil.example"},
		{GateOptions{Addr: "127.0.0.1:4400", PublicURL: "https://memory.example.org"}, "memory.example.org memory.example.org:443 MEMORY.example.org. localhost:4400", "example.org evil.memory.example.org"},
	} {
		w := newWorld(t, c.gate)
		for _, host := range strings.Fields(c.allowed) {
			if a := w.send(request{"GET", api.PathHealth, nil, map[string]string{"Host": host}}); a.Code != 200 {
				t.Errorf("%+v refuses %s: %s", c.gate, host, a.text)
			}
		}
		for _, host := range append(strings.Fields(c.refused), "") {
			w.problem(host, w.send(request{"GET", api.PathHealth, nil, map[string]string{"Host": host}}), fault.Forbidden)
		}
	}
}

func TestPublicURL(t *testing.T) {
	for _, bad := range []string{"memory.example.org", "ftp://x", "https://", "https://u:p@x", "https://x/?q", "://", "https://x/#f"} {
		if _, err := NewGate(nil, GateOptions{PublicURL: bad}); !fault.Is(err, fault.Invalid) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	for _, c := range []struct {
		base, url string
		ok        bool
	}{
		{"", "https://x", true}, {"/", "https://x/", true}, {"/", "https://x/elowen", false},
		{"/elowen/", "https://x", true}, {"/elowen/", "https://x/elowen", true}, {"/elowen/", "https://x/elowen/", true},
		{"elowen", "https://x/elowen/", true}, {"/elowen/", "https://x/elo", false}, {"/elowen/", "https://x/elowen/more", false}, {"/elowen/", "https://x/Elowen", false},
	} {
		if _, err := NewGate(nil, GateOptions{BasePath: c.base, PublicURL: c.url}); (err == nil) != c.ok || err != nil && !fault.Is(err, fault.Invalid) {
			t.Errorf("%s below %s: %v", c.url, c.base, err)
		}
	}
}

// browser is a person who signed in, and asks with a cookie.
func (w *world) login(header ...string) *http.Cookie {
	w.Helper()
	r := request{"POST", api.PathLogin, api.Login{Name: "ann", Password: password}, map[string]string{}}
	for i := 0; i+1 < len(header); i += 2 {
		r.header[header[i]] = header[i+1]
	}
	a := w.send(r)
	cookies := a.Result().Cookies()
	if a.Code != 200 || len(cookies) != 1 {
		w.Fatalf("login: %d %s %v", a.Code, a.text, cookies)
	}
	if me := into[api.Me](w, a); me.Name != "ann" || len(me.Scopes) != 3 {
		w.Errorf("login answers %s", a.text)
	}
	return cookies[0]
}

func with(c *http.Cookie, header ...string) map[string]string {
	h := map[string]string{"Cookie": c.Name + "=" + c.Value}
	for i := 0; i+1 < len(header); i += 2 {
		h[header[i]] = header[i+1]
	}
	return h
}

func TestCookies(t *testing.T) {
	for _, c := range []struct {
		gate       GateOptions
		name, path string
		secure     bool
	}{
		{GateOptions{}, "elowen", "/", false},
		{GateOptions{BasePath: "/a/b/"}, "elowen", "/a/b", false},
		{GateOptions{PublicURL: "http://memory.lan"}, "elowen", "/", false},
		{GateOptions{PublicURL: "https://memory.example.org"}, "__Host-elowen", "/", true},
		{GateOptions{PublicURL: "https://example.org", BasePath: "/elowen"}, "__Secure-elowen", "/elowen", true},
	} {
		w := newWorld(t, c.gate)
		w.person("ann", api.RoleAdmin)
		k := w.login()
		if k.Name != c.name || k.Path != c.path || k.Secure != c.secure || !k.HttpOnly || k.SameSite != http.SameSiteLaxMode || k.Domain != "" || k.MaxAge != 30*24*3600 {
			t.Errorf("%+v: %+v", c.gate, k)
		}
	}
}

func TestSession(t *testing.T) {
	w := newWorld(t, GateOptions{})
	w.person("ann", api.RoleAdmin)
	k := w.login()
	get := func(k *http.Cookie) answer { return w.send(request{"GET", api.PathMe, nil, with(k)}) }
	if a := get(k); a.Code != 200 || len(a.Result().Cookies()) != 0 {
		t.Fatalf("%d %s", a.Code, a.text)
	}
	w.clock.Advance(25 * hour)
	a := get(k)
	if a.Code != 200 || len(a.Result().Cookies()) != 1 || a.Result().Cookies()[0].Value == k.Value {
		t.Fatalf("not renewed: %d %v", a.Code, a.Header())
	}
	newer := a.Result().Cookies()[0]
	if a := get(k); a.Code != 200 {
		t.Errorf("another tab: %d", a.Code)
	}
	if a := get(newer); a.Code != 200 {
		t.Errorf("renewed: %d", a.Code)
	}
	// A cookie and a bad token: the token is what was meant.
	w.problem("both", w.send(request{"GET", api.PathMe, nil, with(newer, "Authorization", "Bearer elw_x")}), fault.Unauthenticated)
	a = w.send(request{"POST", api.PathLogout, nil, with(newer)})
	if a.Code != 204 || a.Result().Cookies()[0].MaxAge >= 0 {
		t.Errorf("logout: %d %v", a.Code, a.Header())
	}
	w.problem("signed out", get(newer), fault.Unauthenticated)
	w.problem("the cookie of another name", w.send(request{"GET", api.PathMe, nil, map[string]string{"Cookie": "__Host-elowen=" + w.login().Value}}), fault.Unauthenticated)
}

// What a page of another site makes a browser send does nothing.
func TestCrossSite(t *testing.T) {
	w := newWorld(t, GateOptions{PublicURL: "https://memory.example.org"})
	ann := w.person("ann", api.RoleAdmin)
	k := w.login()
	add := func(host string, header ...string) answer {
		return w.send(request{"POST", api.PathMemory, api.MemoryAdd{Body: "x"}, with(k, append(header, "Host", host)...)})
	}
	for _, header := range [][]string{
		{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "https://evil.example"}, {"Origin", "null"},
		{"Origin", "https://memory.example.org.evil.example"}, {"Origin", "http://127.0.0.1:4401"}, {"Sec-Fetch-Site", "cross-site", "Origin", "https://evil.example"},
	} {
		w.problem(strings.Join(header, " "), add("127.0.0.1:4400", header...), fault.Forbidden)
		login := request{"POST", api.PathLogin, api.Login{Name: "ann", Password: password}, map[string]string{"Host": "127.0.0.1:4400"}}
		for i := 0; i+1 < len(header); i += 2 {
			login.header[header[i]] = header[i+1]
		}
		w.problem("login "+strings.Join(header, " "), w.send(login), fault.Forbidden)
		// A websocket is opened by GET.
		open := request{"GET", api.PathMe, nil, with(k, append(header, "Host", "127.0.0.1:4400", "Connection", "Upgrade", "Upgrade", "websocket")...)}
		w.problem("upgrade "+strings.Join(header, " "), w.send(open), fault.Forbidden)
		// Tokens are sent by nobody's browser.
		if a := ann.do("POST", api.PathMemory, api.MemoryAdd{Body: "x"}, header...); a.Code > 201 {
			t.Errorf("token, %v: %s", header, a.text)
		}
	}
	for _, header := range [][]string{
		nil, {"Sec-Fetch-Site", "same-origin"}, {"Sec-Fetch-Site", "none"}, {"Origin", "http://127.0.0.1:4400"},
		{"Origin", "https://memory.example.org"}, {"Origin", "https://memory.example.org", "Sec-Fetch-Site", "same-origin"},
	} {
		if a := add("127.0.0.1:4400", header...); a.Code > 201 {
			t.Errorf("%v: %d %s", header, a.Code, a.text)
		}
	}
	w.problem("another host", add("evil.example", "Origin", "http://evil.example"), fault.Forbidden)
}

func TestClient(t *testing.T) {
	plain := &Gate{}
	proxied := &Gate{proxied: true}
	for _, c := range []struct {
		g           *Gate
		remote, xff string
		want        string
	}{
		{plain, "192.0.2.7:5", "", "192.0.2.7"},
		{plain, "192.0.2.7:5", "203.0.113.9", "192.0.2.7"},
		{plain, "127.0.0.1:5", "203.0.113.9", "127.0.0.1"},
		{proxied, "127.0.0.1:5", "203.0.113.9", "203.0.113.9"},
		{proxied, "127.0.0.1:5", "10.9.9.9, 203.0.113.9", "203.0.113.9"},
		{proxied, "[::1]:5", "nonsense", "::/64"},
		{proxied, "192.0.2.7:5", "203.0.113.9", "192.0.2.7"},
		{plain, "[2001:db8:1:2:3:4:5:6]:5", "", "2001:db8:1:2::/64"},
		{plain, "[::ffff:192.0.2.7]:5", "", "192.0.2.7"},
		{plain, "@", "", "unknown"},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.RemoteAddr = c.remote
		if c.xff != "" {
			r.Header.Set("X-Forwarded-For", c.xff)
		}
		if got := c.g.Client(r); got != c.want {
			t.Errorf("%s via %q: %s, want %s", c.remote, c.xff, got, c.want)
		}
	}
}

func TestLoginLimitTellsWhen(t *testing.T) {
	w := newWorld(t, GateOptions{})
	w.person("ann", api.RoleAdmin)
	try := func() answer {
		return w.send(request{"POST", api.PathLogin, api.Login{Name: "ann", Password: "guess"}, nil})
	}
	for range 10 {
		w.problem("guess", try(), fault.Unauthenticated)
	}
	a := try()
	w.problem("one too many", a, fault.TooMany)
	if a.Header().Get("Retry-After") != "900" {
		t.Errorf("Retry-After %q", a.Header().Get("Retry-After"))
	}
	w.clock.Advance((15 * time.Minute).Milliseconds())
	w.login()
}

func TestSetupOverHTTP(t *testing.T) {
	w := newWorld(t, GateOptions{})
	code, err := w.accounts.SetupCode(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	needed := func(want bool) {
		t.Helper()
		if a := w.send(request{"GET", api.PathSetup, nil, nil}); a.Code != 200 || strings.TrimSpace(a.text) != fmt.Sprintf(`{"needed":%v}`, want) {
			t.Errorf("setup: %d %s", a.Code, a.text)
		}
	}
	needed(true)
	in := api.Setup{Code: "wrong", Name: "Ann", Password: password}
	w.problem("wrong code", w.send(request{"POST", api.PathSetup, in, nil}), fault.Forbidden)
	in.Code = code
	a := w.send(request{"POST", api.PathSetup, in, nil})
	if a.Code != 201 || len(a.Result().Cookies()) != 1 {
		t.Fatalf("%d %s", a.Code, a.text)
	}
	for _, r := range Routes() {
		if r.Path == api.PathSetup && r.Method == "POST" {
			w.conforms(r, a)
		}
	}
	needed(false)
	me := into[api.Me](t, a)
	if me.Role != api.RoleAdmin || me.DefaultCategoryID == nil {
		t.Errorf("%+v", me)
	}
	a = w.send(request{"POST", api.PathTokens, api.TokenAdd{Name: "mine"}, with(a.Result().Cookies()[0])})
	if tok := into[api.Token](t, a); a.Code != 201 || !strings.HasPrefix(tok.Token, "elw_") {
		t.Errorf("%d %s", a.Code, a.text)
	}
	w.problem("again", w.send(request{"POST", api.PathSetup, in, nil}), fault.Gone)
}
