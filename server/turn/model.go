package turn

import (
	"context"
	"iter"

	"elowen/server/db"
	"elowen/server/model"
	"elowen/server/model/chat"
	"elowen/shared/api"
)

// Models are who can be asked.
type Models interface {
	// Preflight makes a model ready without a request: what is set up is there, a key can
	// be read, an address is one. pick nil is the role chat. Errors: Unavailable and
	// NotFound, in words for people.
	Preflight(ctx context.Context, owner db.AccountID, pick *api.ModelPick) (Model, error)
	// Utility has the model for small work of our own answer, in one piece and within its
	// time; ok is false where there is none.
	Utility(ctx context.Context, owner db.AccountID, r chat.Request) (text string, ok bool, err error)
}

// Model is one that can be asked.
type Model interface {
	Name() string
	Window() int // tokens that it takes; 0: not known
	// Ask has it answer. An error is the last that is yielded; it is in words for people.
	Ask(ctx context.Context, r chat.Request) iter.Seq2[chat.Event, error]
}

// ModelsOf are the models of the settings.
func ModelsOf(store *model.Store) Models { return models{store} }

type models struct{ *model.Store }

// Preflight implements Models.
func (m models) Preflight(ctx context.Context, owner db.AccountID, pick *api.ModelPick) (Model, error) {
	ref := model.Ref{Role: api.RoleChat}
	if pick != nil {
		ref.Provider, ref.Model = pick.Provider, pick.Model
	}
	ready, err := m.Store.Preflight(ctx, owner, ref)
	if err != nil {
		return nil, err
	}
	return asked{m.Store, owner, ready}, nil
}

// Utility implements Models.
func (m models) Utility(ctx context.Context, owner db.AccountID, r chat.Request) (text string, ok bool, err error) {
	ok, err = m.Store.Somebody(ctx, api.RoleUtility)
	if err != nil || !ok {
		return "", false, err
	}
	reply, err := m.Store.Ask(ctx, owner, api.RoleUtility, r)
	return reply.Text, true, err
}

// asked is a model that is ready, asked for an account.
type asked struct {
	store *model.Store
	owner db.AccountID
	ready model.Ready
}

// Name implements Model.
func (a asked) Name() string { return a.ready.Model }

// Window implements Model.
func (a asked) Window() int { return a.ready.Window }

// Ask implements Model.
func (a asked) Ask(ctx context.Context, r chat.Request) iter.Seq2[chat.Event, error] {
	return a.store.Chat(ctx, a.owner, a.ready, r)
}
