package httpd

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"elowen/server/account"
	"elowen/shared/fault"
)

// GateOptions say where the server stands.
type GateOptions struct {
	// Addr is the address listened on, "host:port".
	Addr string
	// PublicURL is the address under which people reach the server, or empty. Its
	// host and origin are allowed, its scheme decides about Secure cookies, and
	// with it a proxy on this machine is trusted to name the client's address.
	PublicURL string
	// BasePath is the path under which everything stands, "/" or such as "/elowen/".
	BasePath string
}

// Gate decides who is let in. It is safe for concurrent use.
type Gate struct {
	accounts *account.Store
	hosts    map[string]bool // by name, without a port
	anyIP    bool            // listening on every address: any literal one may be ours
	proxied  bool            // the client's address comes from a proxy on this machine
	cookie   http.Cookie     // what every cookie of ours has
	cross    http.CrossOriginProtection
}

// NewGate makes a gate. A public URL that is no http or https origin, with nothing
// or the base path behind it, is fault.Invalid: with another path people would be
// sent where nothing is.
func NewGate(accounts *account.Store, o GateOptions) (*Gate, error) {
	g := &Gate{accounts: accounts, hosts: map[string]bool{"localhost": true}}
	base := "/" + strings.Trim(o.BasePath, "/")
	g.cookie = http.Cookie{Name: "elowen", Path: base, HttpOnly: true, SameSite: http.SameSiteLaxMode}
	if host, _, err := net.SplitHostPort(o.Addr); err == nil {
		ip, bad := netip.ParseAddr(host)
		switch {
		case host == "" || bad == nil && ip.IsUnspecified():
			g.anyIP = true
		default:
			g.hosts[plainHost(host)] = true
		}
	}
	if o.PublicURL == "" {
		return g, nil
	}
	u, err := url.Parse(o.PublicURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, fault.New(fault.Invalid, "The public URL must be such as https://memory.example.org, without a query or user.")
	}
	if path := "/" + strings.Trim(u.Path, "/"); path != "/" && path != base {
		return nil, fault.Newf(fault.Invalid, "The public URL ends in %s, and everything stands below %s. Name the same path with --base-path, or leave it out of the URL.", path, base)
	}
	g.hosts[plainHost(u.Hostname())] = true
	g.proxied = true
	if err := g.cross.AddTrustedOrigin(u.Scheme + "://" + u.Host); err != nil {
		return nil, fault.Wrap(fault.Invalid, err, "The public URL cannot be an origin.")
	}
	if u.Scheme == "https" {
		// Browsers keep others from setting cookies of these names.
		g.cookie.Secure = true
		g.cookie.Name = "__Secure-elowen"
		if base == "/" {
			g.cookie.Name = "__Host-elowen"
		}
	}
	return g, nil
}

// plainHost brings a host's name into the form in which names are compared.
func plainHost(host string) string {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if ip, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil {
		return ip.Unmap().WithZone("").String()
	}
	return host
}

// Hosts refuses requests for a host that isn't ours. A page of another site can
// make its own name lead here, and would then be of the same origin as we.
func (g *Gate) Hosts(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !g.allowed(r.Host) {
			Problem(w, fault.New(fault.Forbidden, "This server is not known by the name that was asked for. Name it with --public-url when it starts."))
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (g *Gate) allowed(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = plainHost(host)
	if g.hosts[host] {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && (ip.IsLoopback() || g.anyIP)
}

// Client is the network address of whoever sent the request, for limits: of IPv6
// the part that a provider gives out as one.
func (g *Gate) Client(r *http.Request) string {
	text, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		text = r.RemoteAddr
	}
	ip, err := netip.ParseAddr(text)
	if err != nil {
		return "unknown"
	}
	if g.proxied && ip.Unmap().IsLoopback() {
		// The proxy writes at the end; what stands before may come from anyone.
		list := r.Header.Values("X-Forwarded-For")
		if len(list) > 0 {
			parts := strings.Split(list[len(list)-1], ",")
			if from, err := netip.ParseAddr(strings.TrimSpace(parts[len(parts)-1])); err == nil {
				ip = from
			}
		}
	}
	ip = ip.Unmap().WithZone("")
	if ip.Is6() {
		if net, err := ip.Prefix(64); err == nil {
			return net.String()
		}
	}
	return ip.String()
}

var (
	errNobody = fault.New(fault.Unauthenticated, "Sign in first, or send a token as `Authorization: Bearer elw_…`.")
	errCross  = fault.New(fault.Forbidden, "This request comes from a page of another site. Nothing was done.")
	errBearer = fault.New(fault.Unauthenticated, "The Authorization header must be `Bearer elw_…`, with a token of yours.")
)

// Identify answers who sent the request, by its token or its session's cookie;
// a renewed secret goes into w's header. A session's request that changes
// anything, or opens a websocket, must come from our own origin. Errors:
// Unauthenticated, Forbidden.
func (g *Gate) Identify(w http.ResponseWriter, r *http.Request) (account.Identity, error) {
	if auth := r.Header.Values("Authorization"); len(auth) > 0 {
		scheme, secret, _ := strings.Cut(auth[0], " ")
		if len(auth) > 1 || !strings.EqualFold(scheme, "Bearer") {
			return account.Identity{}, errBearer
		}
		return g.accounts.TokenFrom(r.Context(), g.Client(r), strings.TrimSpace(secret))
	}
	cookie, err := r.Cookie(g.cookie.Name)
	if err != nil {
		return account.Identity{}, errNobody
	}
	if err := g.SameOrigin(r); err != nil {
		return account.Identity{}, err
	}
	o, err := g.accounts.Session(r.Context(), cookie.Value)
	if err != nil {
		return account.Identity{}, err
	}
	if o.Secret != "" {
		g.signIn(w, o)
	}
	return o.Identity, nil
}

// Program is Identify for what only programs ask for: nobody is let in by a cookie, and
// no page of another site, whatever token it has. Errors: Unauthenticated, Forbidden,
// TooMany.
func (g *Gate) Program(w http.ResponseWriter, r *http.Request) (account.Identity, error) {
	if err := g.SameOrigin(r); err != nil {
		return account.Identity{}, err
	}
	if r.Header.Get("Authorization") == "" {
		return account.Identity{}, errBearer
	}
	return g.Identify(w, r)
}

// SameOrigin refuses what a page of another site makes a browser send. Requests
// that change nothing pass, unless they open a websocket.
func (g *Gate) SameOrigin(r *http.Request) error {
	if r.Header.Get("Upgrade") != "" {
		as := *r
		as.Method = http.MethodPost // a websocket is opened by GET, but can do anything
		r = &as
	}
	if g.cross.Check(r) != nil {
		return errCross
	}
	return nil
}

// signIn sets the session's cookie.
func (g *Gate) signIn(w http.ResponseWriter, o account.Opened) {
	c := g.cookie
	c.Value = o.Secret
	c.MaxAge = int(o.Lasts / 1000)
	http.SetCookie(w, &c)
}

// signOut takes the cookie away.
func (g *Gate) signOut(w http.ResponseWriter) {
	c := g.cookie
	c.MaxAge = -1
	http.SetCookie(w, &c)
}
