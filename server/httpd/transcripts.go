package httpd

import (
	"net/http"

	"elowen/server/validation"
	"elowen/shared/api"
)

// transcripts are the routes of conversations that were held elsewhere.
func (s *server) transcripts() []*Route {
	one := api.PathTranscripts + "/{id}"
	return []*Route{
		get(api.PathTranscripts, api.ScopeRead, "Transcripts, those that came last first", func(c *call) (api.Page[api.Transcript], error) {
			var w validation.Window
			if err := c.query(&w); err != nil {
				return api.Page[api.Transcript]{}, err
			}
			return s.Transcripts.List(c.ctx, c.id.Owner, w.Cursor, w.Rows())
		}).query(&validation.Window{}),
		do(http.MethodPost, api.PathTranscripts, api.ScopeWrite, "Store a conversation that was held elsewhere, whole", func(c *call, in api.TranscriptAdd) (api.Transcript, error) {
			t, err := s.Transcripts.Add(c.ctx, c.id.Owner, in)
			c.located(api.TranscriptPath(t.ID))
			return t, err
		}).created(),
		do(http.MethodPost, api.PathTranscriptSearch, api.ScopeRead, "The turns that answer a question best; counts nothing", func(c *call, in api.TranscriptSearch) (api.TranscriptFound, error) {
			return s.Transcripts.Search(c.ctx, c.id.Owner, in)
		}),
		get(one, api.ScopeRead, "A transcript with its turns", func(c *call) (api.TranscriptWhole, error) {
			return withID(c, func(id int64) (api.TranscriptWhole, error) { return s.Transcripts.Get(c.ctx, c.id.Owner, id) })
		}),
		do(http.MethodDelete, one, api.ScopeWrite, "Delete a transcript for good, with what was derived from it", func(c *call, _ none) (none, error) {
			return withID(c, func(id int64) (none, error) { return none{}, s.Transcripts.Delete(c.ctx, c.id.Owner, id) })
		}),
	}
}
