package servertest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"testing"

	"elowen/shared/api"
	"elowen/shared/fault"
)

// Password is what the helpers of this package set.
const Password = "correct horse battery staple"

// Client is somebody who speaks to the server.
type Client struct {
	t      testing.TB
	server *Server
	http   *http.Client
	token  string
}

// Client is somebody whom the server doesn't know, with cookies of their own.
func (s *Server) Client() *Client {
	jar, err := cookiejar.New(nil)
	if err != nil {
		s.t.Fatal(err)
	}
	return &Client{t: s.t, server: s, http: &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}
}

// Setup makes the first account, an administrator, and is that person.
func (s *Server) Setup(name string) *Client {
	s.t.Helper()
	c := s.Client()
	c.Must(http.MethodPost, api.PathSetup, api.Setup{Code: s.Code, Name: name, Password: Password}, nil)
	return c
}

// Person makes an account on the command line and signs in to it.
func (s *Server) Person(name string, args ...string) *Client {
	s.t.Helper()
	out, errs, code := s.Command(Password+"\n", append([]string{"admin", "user", "add", name, "--password-stdin"}, args...)...)
	if code != 0 {
		s.t.Fatalf("user add %s: %s%s", name, out, errs)
	}
	return s.Login(name)
}

// Login signs in to an account that has Password.
func (s *Server) Login(name string) *Client {
	s.t.Helper()
	c := s.Client()
	c.Must(http.MethodPost, api.PathLogin, api.Login{Name: name, Password: Password}, nil)
	return c
}

// Token is a program with a token of its own that acts for the account.
func (s *Server) Token(name string, scopes ...string) *Client {
	s.t.Helper()
	args := []string{"token", "create", "--user", name, "--json"}
	if len(scopes) > 0 {
		args = append(args, "--scopes", strings.Join(scopes, ","))
	}
	var t api.Token
	if err := json.Unmarshal([]byte(s.Admin(args...)), &t); err != nil {
		s.t.Fatal(err)
	}
	c := s.Client()
	c.http.Jar, c.token = nil, t.Token
	return c
}

// Secret is the client's token; empty for a session.
func (c *Client) Secret() string { return c.token }

// Request makes a request to a path below the server's URL. A body that is no
// reader is sent as JSON.
func (c *Client) Request(method, path string, body any) *http.Request {
	c.t.Helper()
	var r io.Reader
	kind := "application/json"
	switch b := body.(type) {
	case nil:
		kind = ""
	case io.Reader:
		r, kind = b, "application/jsonl"
	default:
		text, err := json.Marshal(b)
		if err != nil {
			c.t.Fatal(err)
		}
		r = bytes.NewReader(text)
	}
	req, err := http.NewRequest(method, c.server.URL+path, r)
	if err != nil {
		c.t.Fatal(err)
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	return req
}

// Send sends a request and reads the answer to its end.
func (c *Client) Send(req *http.Request) (status int, body []byte, header http.Header) {
	c.t.Helper()
	a, err := c.http.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	defer a.Body.Close()
	if body, err = io.ReadAll(a.Body); err != nil {
		c.t.Fatal(err)
	}
	return a.StatusCode, body, a.Header
}

// Do asks, and reads a good answer into out (nil: whatever it is). Another answer
// comes back as the error that it tells of.
func (c *Client) Do(method, path string, in, out any) error {
	c.t.Helper()
	status, body, _ := c.Send(c.Request(method, path, in))
	if status >= 300 {
		var p fault.Problem
		if err := json.Unmarshal(body, &p); err != nil {
			c.t.Fatalf("%s %s: %d %s", method, path, status, body)
		}
		return p.Err()
	}
	if out == nil {
		return nil
	}
	if err := json.Unmarshal(body, out); err != nil {
		c.t.Fatalf("%s %s: %v in %s", method, path, err, body)
	}
	return nil
}

// Must is Do for what has to succeed.
func (c *Client) Must(method, path string, in, out any) {
	c.t.Helper()
	if err := c.Do(method, path, in, out); err != nil {
		c.t.Fatalf("%s %s: %v", method, path, err)
	}
}

// Add adds a memory.
func (c *Client) Add(body string) api.MemoryAdded {
	c.t.Helper()
	var m api.MemoryAdded
	c.Must(http.MethodPost, api.PathMemory, api.MemoryAdd{Body: body}, &m)
	return m
}
