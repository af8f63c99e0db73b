package httpd

import (
	"net/http"

	"elowen/shared/api"
)

// recalls are the routes of recall, and of the settings that it goes by.
func (s *server) recalls() []*Route {
	return []*Route{
		do(http.MethodPost, api.PathRetrieve, api.ScopeRead, "What would be recalled for a question, and why; counts nothing", func(c *call, in api.RetrieveRequest) (api.Retrieved, error) {
			return s.Recall.Retrieve(c.ctx, c.id.Owner, in)
		}),
		do(http.MethodPut, api.PathLimits, api.ScopeAdmin, "Change the limits of recall; null is the default", func(c *call, in api.LimitsChange) (api.Settings, error) {
			if err := c.oneRevision(&in.Revision); err != nil {
				return api.Settings{}, err
			}
			return s.Recall.SaveLimits(c.ctx, in)
		}).revisioned(),
		do(http.MethodPut, api.PathRuntime, api.ScopeAdmin, "Change how the instance recalls; null is the model profile's, or the default", func(c *call, in api.RuntimeChange) (api.Settings, error) {
			if err := c.oneRevision(&in.Revision); err != nil {
				return api.Settings{}, err
			}
			return s.Recall.SaveRuntime(c.ctx, in)
		}).revisioned(),
	}
}

// oneRevision takes the revision of a change of the settings from If-Match, where the
// body names none.
func (c *call) oneRevision(named *int64) error {
	if *named == 0 {
		*named = c.ifMatch
	}
	if c.ifMatch != 0 && c.ifMatch != *named {
		return errTwoRevisions
	}
	return nil
}
