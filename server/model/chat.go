package model

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"elowen/server/db"
	"elowen/server/embedding/endpoint"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// The roles of a Message.
const (
	System = "system"
	User   = "user"
)

// Message is what is said to a model.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Reply is what a model answered.
type Reply struct {
	Text  string
	Model string // as the role names it
}

// Has tells whose a role is: the model's name. ok is false where it is nobody's.
func (s *Store) Has(tx *db.Tx, name string) (model string, ok bool, err error) {
	c, _, err := s.load(tx)
	r, ok := c.Roles[name]
	return r.Model, ok && err == nil, err
}

// Ask has the model of a role answer, by OpenAI's chat completions, which all of the
// providers speak. It asks once: whether to ask again, and when (RetryAfterMillis), is
// for the caller to decide. Errors: Unavailable where nobody has the role, or the
// provider doesn't answer; Invalid where it refuses what was said; Cancelled where ctx
// was.
//
// There is a client library of OpenAI's for this. For one request it makes the program
// 19 MB larger, so the request is written here.
func (s *Store) Ask(ctx context.Context, name string, messages []Message) (Reply, error) {
	var p provider
	var r role
	var key string
	err := s.db.View(ctx, func(tx *db.Tx) error {
		c, _, err := s.load(tx)
		if err != nil {
			return err
		}
		var ok, there bool
		r, ok = c.Roles[name]
		if p, there = c.find(r.Provider); !ok || !there {
			return fault.Newf(fault.Unavailable, "No %s model is set up. An administrator names one in the settings of models.", name)
		}
		key, err = s.key(tx, p.ID)
		switch {
		case fault.Is(err, fault.NotFound):
			return nil // none is needed, or the endpoint will say so
		case fault.Is(err, fault.Gone):
			return fault.Wrap(fault.Unavailable, err, fault.ProblemOf(err).Detail)
		}
		return err
	})
	if err != nil {
		return Reply{}, err
	}
	most, cancel := context.WithTimeout(ctx, time.Duration(setting.Int("utility.seconds"))*time.Second)
	defer cancel()
	text, err := s.complete(most, p, r.Model, key, messages)
	if err != nil && ctx.Err() != nil {
		err = fault.Wrap(fault.Cancelled, err, "Asking the model was broken off.")
	}
	return Reply{Text: text, Model: r.Model}, err
}

// completion is a request, as far as every provider takes it.
type completion struct {
	Model    string    `json:"model"`
	Messages []Message `json:"messages"`
	Stream   bool      `json:"stream"`
}

// completions is where a provider takes them.
func (p provider) completions() string {
	if p.Kind == api.ProviderOllama {
		return p.address() + "/v1/chat/completions"
	}
	return p.address() + "/chat/completions"
}

func (s *Store) complete(ctx context.Context, p provider, model, key string, messages []Message) (string, error) {
	body, err := json.Marshal(completion{Model: model, Messages: messages})
	if err != nil {
		return "", fault.Wrap(fault.Invalid, err, "The text cannot be sent as JSON.")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.completions(), bytes.NewReader(body))
	if err != nil {
		return "", fault.Wrap(fault.Unavailable, err, "The address of the provider "+p.ID+" is none.")
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	if p.Kind == api.ProviderOpenRouter {
		req.Header.Set("X-Title", "elowen")
	}
	resp, err := s.o.HTTP.Do(req)
	if err != nil {
		return "", unreached(ctx, p, err)
	}
	defer resp.Body.Close()
	most := int64(setting.Get("utility.answer").Max)
	answer, err := io.ReadAll(io.LimitReader(resp.Body, most+1))
	switch {
	case err != nil:
		return "", unreached(ctx, p, err)
	case resp.StatusCode != http.StatusOK:
		return "", refused(p, resp, s.db.Now())
	case int64(len(answer)) > most:
		return "", fault.Newf(fault.Unavailable, "%s answered more than %d bytes.", p.host(), most)
	}
	text, err := parseCompletion(answer)
	if err != nil {
		return "", fault.Wrap(fault.Unavailable, err, p.host()+" answered something that is no chat completion.")
	}
	return text, nil
}

// errNoText says that an answer has no text in it.
var errNoText = errors.New("no text in the first choice")

// parseCompletion is the text of an answer.
func parseCompletion(answer []byte) (string, error) {
	var in struct {
		Choices []struct {
			Message struct {
				Content *string `json:"content"`
			} `json:"message"`
		} `json:"choices"`
	}
	if err := json.Unmarshal(answer, &in); err != nil {
		return "", err
	}
	if len(in.Choices) == 0 || in.Choices[0].Message.Content == nil {
		return "", errNoText
	}
	return *in.Choices[0].Message.Content, nil
}

// host is the provider, as people are told of it.
func (p provider) host() string {
	u, err := url.Parse(p.address())
	if err != nil || u.Host == "" {
		return "The provider " + p.ID
	}
	return u.Host
}

func unreached(ctx context.Context, p provider, err error) error {
	if ctx.Err() != nil {
		return fault.Wrap(fault.Unavailable, err, p.host()+" does not answer in time.")
	}
	return fault.Wrap(fault.Unavailable, err, p.host()+" cannot be reached.")
}

// refused is the error of an answer with another status than 200. Nothing of what the
// provider wrote is in it.
func refused(p provider, resp *http.Response, now int64) error {
	code := resp.StatusCode
	says := " (" + strconv.Itoa(code) + ")."
	out := &fault.Error{Kind: fault.Unavailable}
	switch {
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		out.Detail = p.host() + " refuses the key" + says
	case code == http.StatusNotFound || code == http.StatusMethodNotAllowed:
		out.Detail = p.host() + " has no such model, or its address is another" + says
	case code == http.StatusPaymentRequired:
		out.Detail = p.host() + " wants to be paid" + says
	case code == http.StatusTooManyRequests:
		out.Detail = p.host() + " asks for fewer requests" + says
	case code == http.StatusBadRequest || code == http.StatusUnprocessableEntity || code == http.StatusRequestEntityTooLarge:
		out.Kind, out.Detail = fault.Invalid, p.host()+" refuses what it was asked"+says
	case code >= 300 && code < 400:
		out.Detail = p.host() + " sends the request elsewhere" + says + " Name the final address: redirects are not followed."
	default:
		out.Detail = p.host() + " failed" + says
	}
	out.RetryAfterMillis = endpoint.RetryAfter(resp.Header.Get("Retry-After"), time.UnixMilli(now)).Milliseconds()
	return out
}
