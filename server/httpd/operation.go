package httpd

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"elowen/server/account"
	"elowen/shared/api"
	"elowen/shared/fault"
)

// sqlite is the media type of a backup.
const sqlite = "application/vnd.sqlite3"

var errNotKept = fault.New(fault.Unavailable, "This server keeps no backups of its own.")

// operation are the routes for those who look after the server.
func (s *server) operation() []*Route {
	one := api.PathBackups + "/{name}"
	file := get(one, api.ScopeAdmin, "A backup, as a file", s.backup)
	file.Gives, file.Stream = nil, sqlite
	return []*Route{
		get(api.PathDoctor, api.ScopeAdmin, "What is wrong with the server, and how to mend it", func(c *call) (api.Doctor, error) {
			if s.Examine == nil {
				return api.Doctor{}, fault.New(fault.Unavailable, "This server cannot be examined.")
			}
			return s.Examine(c.ctx), nil
		}),
		get(api.PathStorage, api.ScopeAdmin, "What takes up room", func(c *call) (api.Storage, error) {
			if s.Storage == nil {
				return api.Storage{}, fault.New(fault.Unavailable, "Room is not measured here.")
			}
			return s.Storage(c.ctx)
		}),
		get(api.PathBackups, api.ScopeAdmin, "The backups, newest first", func(c *call) (api.Backups, error) {
			if s.Backups == nil {
				return api.Backups{}, errNotKept
			}
			return s.Backups.List(c.ctx)
		}),
		do(http.MethodPost, api.PathBackups, api.ScopeAdmin, "Write a backup now; it stays until it is removed", func(c *call, _ none) (api.Backup, error) {
			if s.Backups == nil {
				return api.Backup{}, errNotKept
			}
			b, err := account.Once(c.ctx, s.Accounts, s.Backups.Now)
			c.located(api.BackupPath(b.Name))
			return b, err
		}).created(),
		file,
		do(http.MethodPost, one+"/check", api.ScopeAdmin, "Read a backup back, and say whether it is whole", func(c *call, _ none) (api.Backup, error) {
			if s.Backups == nil {
				return api.Backup{}, errNotKept
			}
			return s.Backups.Check(c.ctx, c.r.PathValue("name"))
		}).natural(),
		do(http.MethodDelete, one, api.ScopeAdmin, "Remove a backup for good", func(c *call, _ none) (none, error) {
			if s.Backups == nil {
				return none{}, errNotKept
			}
			return account.Once(c.ctx, s.Accounts, func(context.Context) (none, error) {
				return none{}, s.Backups.Remove(c.r.PathValue("name"))
			})
		}),
	}
}

// backup answers the file of a backup, or a part of it.
func (s *server) backup(c *call) (none, error) {
	if s.Backups == nil {
		return none{}, errNotKept
	}
	f, b, err := s.Backups.Open(c.r.PathValue("name"))
	if err != nil {
		return none{}, err
	}
	defer f.Close()
	h := c.w.Header()
	h.Set("Content-Type", sqlite)
	h.Set("Content-Disposition", `attachment; filename=`+strconv.Quote(b.Name))
	http.ServeContent(c.w, c.r, "", time.UnixMilli(int64(b.WrittenAt)), f)
	return none{}, nil
}

// sessions are the routes of where one is signed in.
func (s *server) sessions() []*Route {
	return []*Route{
		get(api.PathSessions, api.ScopeRead, "Where one is signed in, the last one used first", func(c *call) (api.Page[api.Session], error) {
			list, err := s.Accounts.Sessions(c.ctx, c.id)
			return page(c, list, err)
		}),
		do(http.MethodDelete, api.PathSessions, api.ScopeWrite, "End all of one's sessions but the one that asks", func(c *call, _ none) (api.Ended, error) {
			if err := ownHand(c.id); err != nil {
				return api.Ended{}, err
			}
			return s.Accounts.EndOthers(c.ctx, c.id)
		}),
		do(http.MethodDelete, api.PathSessions+"/{id}", api.ScopeWrite, "End one of one's sessions", func(c *call, _ none) (none, error) {
			if err := ownHand(c.id); err != nil {
				return none{}, err
			}
			id, err := c.pathID()
			if err != nil {
				return none{}, err
			}
			return none{}, s.Accounts.EndSession(c.ctx, c.id.Owner, id)
		}),
		do(http.MethodDelete, api.PathPeople+"/{name}/sessions", api.ScopeAdmin, "End an account's sessions, but the one that asks", func(c *call, _ none) (api.Ended, error) {
			return s.Accounts.EndAll(c.ctx, c.id, c.r.PathValue("name"))
		}),
	}
}
