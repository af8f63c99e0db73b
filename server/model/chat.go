package model

import (
	"context"
	"iter"
	"strings"
	"time"

	"elowen/server/db"
	"elowen/server/model/anthropic"
	"elowen/server/model/chat"
	"elowen/server/model/openai"
	"elowen/shared/api"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// Ref names who is asked: whoever has a role, or a provider's model that a person
// picked. Role is what it is asked for either way; empty is api.RoleChat.
type Ref struct{ Role, Provider, Model string }

// Ready is a model that can be asked. What the zero Ready is asked fails.
type Ready struct {
	Role     string // what it is asked for
	Provider string // its id
	Model    string
	Window   int // how much it reads at once, in tokens

	client chat.Client // holds the key; a pointer, so that printing a Ready shows none
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

// Somebody tells whether a role is somebody's.
func (s *Store) Somebody(ctx context.Context, name string) (ok bool, err error) {
	err = s.db.View(ctx, func(tx *db.Tx) error {
		_, ok, err = s.Has(tx, name)
		return err
	})
	return ok, err
}

// Preflight makes a model ready to be asked, as the settings are now. It makes no
// request: what it finds out is that somebody is named, the key can be read and the
// address is one. A maintenance role that nobody has is the chat model's. Errors:
// Unavailable, saying what is missing; NotFound for a provider that is not there.
func (s *Store) Preflight(ctx context.Context, owner db.AccountID, ref Ref) (out Ready, err error) {
	err = s.db.View(ctx, func(tx *db.Tx) error {
		out, err = s.ready(tx, ref, setting.Get("chat.answer").Max)
		return err
	})
	return out, err
}

// ready is Preflight within a transaction, for answers of at most most bytes.
func (s *Store) ready(tx *db.Tx, ref Ref, most float64) (Ready, error) {
	c, _, err := s.load(tx)
	if err != nil {
		return Ready{}, err
	}
	if ref.Role == "" {
		ref.Role = api.RoleChat
	}
	r := role{Provider: ref.Provider, Model: strings.TrimSpace(ref.Model)}
	if ref.Provider == "" {
		var ok bool
		if r, ok = c.Roles[ref.Role]; !ok && ref.Role == api.RoleMaintenance {
			r, ok = c.Roles[api.RoleChat]
		}
		if !ok {
			return Ready{}, fault.Newf(fault.Unavailable, "No %s model is set up. An administrator names one in the settings of models.", ref.Role)
		}
	}
	p, there := c.find(r.Provider)
	switch {
	case !there:
		return Ready{}, fault.Newf(fault.NotFound, "There is no provider %q any more. Choose another model.", r.Provider)
	case p.Kind == builtIn.Kind:
		return Ready{}, fault.New(fault.Unavailable, "The built-in models are for embedding only. Choose another model.")
	case r.Model == "":
		return Ready{}, fault.New(fault.Unavailable, "No model is named. Choose one.")
	}
	key, err := s.key(tx, p.ID)
	switch {
	case fault.Is(err, fault.NotFound): // none is needed, or the endpoint will say so
	case fault.Is(err, fault.Gone):
		return Ready{}, fault.Wrap(fault.Unavailable, err, fault.ProblemOf(err).Detail)
	case err != nil:
		return Ready{}, err
	}
	window, err := s.window(tx, p, r.Model, r.Window)
	if err != nil {
		return Ready{}, err
	}
	return Ready{Role: ref.Role, Provider: p.ID, Model: r.Model, Window: window, client: s.client(p, r.Model, key, int(most))}, nil
}

// client is what asks a provider's model.
func (s *Store) client(p provider, model, key string, most int) chat.Client {
	c := chat.Config{
		Address: p.address(), Host: p.host(), Model: model, Key: key, HTTP: s.o.HTTP, Clock: s.db.Now,
		Idle: time.Duration(setting.Int("chat.idleSeconds")) * time.Second, Most: most, Room: setting.Int("chat.room"),
	}
	switch p.Kind {
	case api.ProviderAnthropic:
		return anthropic.New(c)
	case api.ProviderOllama:
		c.Address += "/v1"
	case api.ProviderOpenRouter:
		c.Headers = map[string]string{"X-Title": "elowen"}
	}
	return openai.New(c, p.Kind == api.ProviderOpenAI && p.BaseURL == "")
}

// Chat asks a model that is ready, and gives its answer as it comes: text, whole calls,
// and Done at the end. It asks again only while nothing was answered, where the
// provider is busy or can't be reached, and only if that needs no long wait. Whoever
// stops reading or ends ctx ends the provider's stream at once. An error is the last
// that is yielded: Unavailable where the provider fails (RetryAfterMillis tells when to
// try again, where it says so), Invalid where it refuses what was said, Cancelled where
// ctx ended. Nothing of what a provider wrote about an error is in it.
func (s *Store) Chat(ctx context.Context, owner db.AccountID, ready Ready, r chat.Request) iter.Seq2[chat.Event, error] {
	return func(yield func(chat.Event, error) bool) {
		if ready.client == nil {
			yield(chat.Event{}, fault.New(fault.Unavailable, "No model is ready to be asked."))
			return
		}
		var tally chat.Tally
		defer func() { s.used(ctx, owner, ready.Role, tally) }()
		patience := chat.Patience{Tries: setting.Int("chat.tries"), Most: time.Duration(setting.Int("chat.waitSeconds")) * time.Second, Sleep: s.o.Sleep}
		for e, err := range patience.Again(ctx, func() iter.Seq2[chat.Event, error] { return ready.client.Stream(ctx, r, &tally) }) {
			if err != nil && ctx.Err() != nil {
				err = fault.Wrap(fault.Cancelled, err, "Asking the model was broken off.")
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// Ask has the model of a role answer in one piece, for an account that it is counted
// to. It asks once: whether to ask again, and when (RetryAfterMillis), is for the caller
// to decide. Errors: Unavailable where nobody has the role, or the provider doesn't
// answer; Invalid where it refuses what was said; Cancelled where ctx was.
func (s *Store) Ask(ctx context.Context, owner db.AccountID, name string, r chat.Request) (Reply, error) {
	var ready Ready
	err := s.db.View(ctx, func(tx *db.Tx) (err error) {
		ready, err = s.ready(tx, Ref{Role: name}, setting.Get("utility.answer").Max)
		return err
	})
	if err != nil {
		return Reply{}, err
	}
	most, cancel := context.WithTimeout(ctx, time.Duration(setting.Int("utility.seconds"))*time.Second)
	defer cancel()
	var tally chat.Tally
	var text strings.Builder
	for e, failed := range ready.client.Stream(most, r, &tally) {
		err = failed
		text.WriteString(e.Text)
	}
	s.used(ctx, owner, name, tally)
	if err != nil && ctx.Err() != nil {
		err = fault.Wrap(fault.Cancelled, err, "Asking the model was broken off.")
	}
	if err != nil {
		return Reply{Model: ready.Model}, err
	}
	return Reply{Text: text.String(), Model: ready.Model}, nil
}
