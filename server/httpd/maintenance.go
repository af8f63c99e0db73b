package httpd

import (
	"net/http"

	"elowen/shared/api"
)

// maintenance are the routes of maintenance jobs, and of calibration.
func (s *server) maintenance() []*Route {
	one := api.PathMaintenance + "/{id}"
	return []*Route{
		get(api.PathMaintenance, api.ScopeRead, "One's maintenance jobs and their receipts, the newest first", func(c *call) (api.Page[api.Maintenance], error) {
			list, err := s.Jobs.List(c.ctx, c.id.Owner)
			return page(c, list, err)
		}),
		do(http.MethodPost, api.PathMaintenance, api.ScopeWrite, "Start a maintenance job, or be told of the one that runs", func(c *call, in api.MaintenanceStart) (api.Maintenance, error) {
			return s.Jobs.Start(c.ctx, c.id.Owner, in, c.id.SessionID != 0)
		}).accepted(),
		get(one, api.ScopeRead, "A maintenance job", func(c *call) (api.Maintenance, error) {
			return withID(c, func(id int64) (api.Maintenance, error) { return s.Jobs.Get(c.ctx, c.id.Owner, id) })
		}),
		do(http.MethodPost, one+"/ack", api.ScopeWrite, "Take note of the end of a maintenance job", func(c *call, _ none) (api.Maintenance, error) {
			return withID(c, func(id int64) (api.Maintenance, error) { return s.Jobs.Acknowledge(c.ctx, c.id.Owner, id) })
		}).natural(),
		do(http.MethodPost, one+"/stop", api.ScopeWrite, "Stop a maintenance job", func(c *call, _ none) (api.Maintenance, error) {
			return withID(c, func(id int64) (api.Maintenance, error) { return s.Jobs.Stop(c.ctx, c.id.Owner, id) })
		}).natural(),
		do(http.MethodPost, api.PathCalibrate, api.ScopeRead, "Measure how alike one's memories are, and the thresholds that follow; changes nothing", func(c *call, _ none) (api.Calibrated, error) {
			return s.Calibration.Measure(c.ctx, c.id.Owner)
		}),
	}
}
