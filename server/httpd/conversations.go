package httpd

import (
	"net/http"

	"elowen/server/validation"
	"elowen/shared/api"
)

// conversations are the routes of conversations that a model answers in.
func (s *server) conversations() []*Route {
	one := api.PathConversations + "/{id}"
	return []*Route{
		get(api.PathConversations, api.ScopeRead, "One's conversations, the last used first", func(c *call) (api.Page[api.Conversation], error) {
			var w validation.Window
			if err := c.query(&w); err != nil {
				return api.Page[api.Conversation]{}, err
			}
			return s.Turns.List(c.ctx, c.id.Owner, w.Cursor, w.Rows())
		}).query(&validation.Window{}),
		do(http.MethodPost, api.PathConversations, api.ScopeWrite, "Begin a conversation", func(c *call, in api.ConversationAdd) (api.Conversation, error) {
			out, err := s.Turns.Create(c.ctx, c.id.Owner, in)
			c.located(api.ConversationPath(out.ID))
			return out, err
		}).created(),
		get(one, api.ScopeRead, "A conversation, without what was said", func(c *call) (api.Conversation, error) {
			return withID(c, func(id int64) (api.Conversation, error) { return s.Turns.Get(c.ctx, c.id.Owner, id) })
		}),
		do(http.MethodPatch, one, api.ScopeWrite, "Change what a conversation is set to; null clears", func(c *call, in api.ConversationPatch) (api.Conversation, error) {
			return withID(c, func(id int64) (api.Conversation, error) { return s.Turns.Patch(c.ctx, c.id.Owner, id, in) })
		}),
		do(http.MethodDelete, one, api.ScopeWrite, "Delete a conversation for good, with everything in it", func(c *call, _ none) (none, error) {
			return withID(c, func(id int64) (none, error) { return none{}, s.Turns.Delete(c.ctx, c.id.Owner, id) })
		}),
		get(one+"/messages", api.ScopeRead, "The entries of a conversation's active branch, the end first, each page in order", func(c *call) (api.Page[api.ConversationEntry], error) {
			var w validation.Window
			if err := c.query(&w); err != nil {
				return api.Page[api.ConversationEntry]{}, err
			}
			return withID(c, func(id int64) (api.Page[api.ConversationEntry], error) {
				return s.Turns.Entries(c.ctx, c.id.Owner, id, w.Cursor, w.Rows())
			})
		}).query(&validation.Window{}),
		do(http.MethodPost, one+"/messages", api.ScopeWrite, "Say something: a turn begins, or it waits for the one that runs, or steers it", func(c *call, in api.MessageSend) (api.MessageSent, error) {
			return withID(c, func(id int64) (api.MessageSent, error) { return s.Turns.Send(c.ctx, c.id.Owner, id, in) })
		}).accepted(),
		do(http.MethodDelete, one+"/queue/{queued}", api.ScopeWrite, "Take a message back that waits", func(c *call, _ none) (none, error) {
			queued, err := c.pathNumber("queued")
			if err != nil {
				return none{}, err
			}
			return withID(c, func(id int64) (none, error) { return none{}, s.Turns.Unqueue(c.ctx, c.id.Owner, id, queued) })
		}),
		do(http.MethodPost, one+"/stop", api.ScopeWrite, "Stop the turn that runs; what was said is kept", func(c *call, _ none) (api.Conversation, error) {
			return withID(c, func(id int64) (api.Conversation, error) { return s.Turns.Stop(c.ctx, c.id.Owner, id) })
		}),
		do(http.MethodPost, one+"/retry", api.ScopeWrite, "Go on with a turn that failed, was stopped or cut off", func(c *call, _ none) (api.Conversation, error) {
			return withID(c, func(id int64) (api.Conversation, error) { return s.Turns.Retry(c.ctx, c.id.Owner, id) })
		}).accepted(),
		do(http.MethodPost, one+"/fork", api.ScopeWrite, "Copy the branch that ends with an entry into a conversation of its own", func(c *call, in api.EntryPick) (api.Conversation, error) {
			return withID(c, func(id int64) (api.Conversation, error) {
				out, err := s.Turns.Fork(c.ctx, c.id.Owner, id, in)
				c.located(api.ConversationPath(out.ID))
				return out, err
			})
		}).created(),
		do(http.MethodPost, one+"/leaf", api.ScopeWrite, "Go to an entry: the branch that it ends is the active one", func(c *call, in api.EntryPick) (api.Conversation, error) {
			return withID(c, func(id int64) (api.Conversation, error) { return s.Turns.Go(c.ctx, c.id.Owner, id, in) })
		}),
		do(http.MethodPost, one+"/compact", api.ScopeWrite, "Summarize what was said, to make room", func(c *call, in api.CompactStart) (api.Conversation, error) {
			return withID(c, func(id int64) (api.Conversation, error) { return s.Turns.Compact(c.ctx, c.id.Owner, id, in) })
		}).accepted(),
		get(one+"/context", api.ScopeRead, "Which memories stand before the model, since when and why, and which have left", func(c *call) (api.ConversationContext, error) {
			return withID(c, func(id int64) (api.ConversationContext, error) { return s.Turns.Context(c.ctx, c.id.Owner, id) })
		}),
		do(http.MethodDelete, one+"/context", api.ScopeWrite, "Take recalled memories out of what the model sees", func(c *call, _ none) (api.Conversation, error) {
			return withID(c, func(id int64) (api.Conversation, error) { return s.Turns.Clear(c.ctx, c.id.Owner, id) })
		}),
	}
}
