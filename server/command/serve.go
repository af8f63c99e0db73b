package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"elowen/server/backup"
	"elowen/server/doctor"
	"elowen/server/transfer"
	"elowen/shared/fault"
)

type serveCommand struct {
	Addr      string `default:"${addr}" placeholder:"HOST:PORT" help:"${addrHelp} (${default})."`
	BasePath  string `default:"${basePath}" placeholder:"/PATH" help:"${basePathHelp} (${default})."`
	PublicURL string `name:"public-url" default:"${publicURL}" placeholder:"URL" help:"${publicURLHelp}"`
}

// local: it is the server.
func (c *serveCommand) local() {}

// The limits of a connection. Streams (an export, an import, the websocket) set
// their own deadlines.
const (
	headerTime  = 10 * time.Second
	readTime    = 60 * time.Second
	idleTime    = 120 * time.Second
	headerBytes = 64 << 10
	closeTime   = 10 * time.Second // for requests that are under way
)

// lookTime is how long the lock may be held by a command that only looks whether
// a server runs.
const lookTime = 500 * time.Millisecond

// Run implements the command.
func (c *serveCommand) Run(r *run) error {
	if err := c.check(); err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(r.Stderr, nil))
	owned, err := acquire(r.data, serverLock, true)
	for began := time.Now(); errors.Is(err, errHeld) && time.Since(began) < lookTime; {
		time.Sleep(20 * time.Millisecond)
		owned, err = acquire(r.data, serverLock, true)
	}
	if errors.Is(err, errHeld) {
		return fault.Newf(fault.Unavailable, "Another server%s runs on %s. One data directory has one server: stop that one, or name another directory with --data.", holder(r.data, serverLock), r.data)
	}
	if err != nil {
		return err
	}
	defer owned.release()
	if name, remote := doctor.NetworkFileSystem(r.data); remote {
		log.Warn("the data directory is on a network file system, where locks and the write-ahead log may fail; move it to a local disk", "directory", r.data, "file system", name)
	}
	tidy(r.data, log)
	st, err := openStores(r.ctx, r.System, r.data, log)
	if err != nil {
		return err
	}
	defer st.close()
	return c.serve(r, st, log)
}

// tidy removes what programs that were killed left behind: copies of somebody's
// memories. It takes the store's lock alone for that; where somebody else has the
// store open, such a file may be in use, and the next start finds it.
func tidy(dir string, log *slog.Logger) {
	use, err := acquire(dir, useLock, true)
	if err != nil {
		return // openStores tells, or waits
	}
	defer use.release()
	names := slices.Concat(transfer.ScratchNames(), backup.WorkNames(), []string{exportName, doctor.WorkName})
	for _, in := range []string{dir, filepath.Join(dir, backupsDir)} {
		entries, _ := os.ReadDir(in) // the folder of backups may not be there
		for _, e := range entries {
			if !slices.ContainsFunc(names, func(name string) bool { ok, _ := filepath.Match(name, e.Name()); return ok }) {
				continue
			}
			path := filepath.Join(in, e.Name())
			if err := os.RemoveAll(path); err != nil {
				log.Warn("cannot remove what was left behind", "path", path, "error", err)
			}
		}
	}
}

// check normalizes the flags, and refuses what no machine could serve.
func (c *serveCommand) check() error {
	_, port, err := net.SplitHostPort(c.Addr)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil {
		return fault.Wrap(fault.Invalid, err, "The address must be a host and a port, such as 127.0.0.1:8080.")
	}
	c.BasePath = "/" + strings.Trim(c.BasePath, "/")
	if c.BasePath != "/" {
		c.BasePath += "/"
	}
	if strings.ContainsAny(c.BasePath, "?#%\\ ") || strings.Contains(c.BasePath, "//") || strings.Contains(c.BasePath, "..") || strings.ContainsFunc(c.BasePath, steers) {
		return fault.New(fault.Invalid, "The base path must be such as /elowen/.")
	}
	return nil
}

// serve runs the server over open stores until the context ends.
func (c *serveCommand) serve(r *run, st *stores, log *slog.Logger) error {
	listener, err := net.Listen("tcp", c.Addr)
	if err != nil {
		return fault.Wrap(fault.Unavailable, err, "Cannot listen on "+c.Addr+": "+err.Error()+". Name another address with --addr.")
	}
	defer listener.Close()
	keeper := st.keeper()
	w, err := newWeb(c, r, st, keeper, log)
	if err != nil {
		return err
	}
	defer w.close()
	admin, err := listen(r.data, r.System, st)
	if err != nil {
		return err
	}

	if err := st.reindexOutdated(r.ctx); err != nil {
		admin.close()
		return err
	}

	if n, err := st.jobs.Interrupt(r.ctx); err != nil {
		admin.close()
		return err
	} else if n > 0 {
		log.Info("maintenance jobs were cut off when the server ended; started again they go on where they were", "jobs", n)
	}

	if n, err := st.turns.Recover(r.ctx, st.db.Engine() == "sqlite"); err != nil {
		admin.close()
		return err
	} else if n > 0 {
		log.Info("turns of conversations were cut off when the server ended; they can be tried again", "turns", n)
	}
	defer st.turns.Close() // before the stores
	if err := st.tidyOutputs(r.ctx); err != nil {
		log.Warn("kept outputs of conversations that are gone could not be removed", "error", err)
	}

	// The work beside requests ends before the stores close.
	work, stop := context.WithCancel(context.WithoutCancel(r.ctx))
	var running sync.WaitGroup
	defer func() {
		stop()
		admin.close()
		running.Wait()
	}()
	recurring := st.recurring(r.System, keeper, true)
	if err := recurring.Boot(r.ctx); err != nil {
		return err
	}
	running.Go(func() { admin.serve(work) })
	if err := st.models.Apply(r.ctx); err != nil {
		return err
	}
	st.background(work, &running, r.System, recurring, w.queue, w.sorter)

	server := &http.Server{
		Handler: w.handler, ReadHeaderTimeout: headerTime, ReadTimeout: readTime, IdleTimeout: idleTime,
		MaxHeaderBytes: headerBytes, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelWarn),
		BaseContext: func(net.Listener) context.Context { return work },
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	w.ready.Store(true)
	if err := c.announce(r, st, listener.Addr()); err != nil {
		return err
	}
	select {
	case err := <-ended:
		return fault.Wrap(fault.Unavailable, err, "The server stopped: "+err.Error())
	case <-r.ctx.Done():
	}
	log.Info("stopping")
	w.ready.Store(false)
	closing, cancel := context.WithTimeout(context.Background(), closeTime)
	defer cancel()
	if err := w.restart(closing); err != nil { // sockets close with a code that says: connect again
		log.Warn("some live connections did not end in time", "error", err)
	}
	if err := server.Shutdown(closing); err != nil {
		log.Warn("some requests did not end in time", "error", err)
		server.Close()
	}
	return nil
}

// backupsDir is where the daily backups are, in the data directory.
const backupsDir = "backups"

// announce says where the server is, and how the first account is made.
func (c *serveCommand) announce(r *run, st *stores, addr net.Addr) error {
	running := Running{URL: c.address(addr)}
	code, err := st.accounts.SetupCode(r.ctx)
	switch {
	case err == nil:
		running.Code = code
	case !fault.Is(err, fault.Gone):
		return err
	}
	if r.json {
		r.encode(r.Stdout, map[string]string{"url": running.URL, "setupCode": running.Code})
	} else {
		fmt.Fprintf(r.Stdout, "elowen %s on %s\n", version, running.URL)
		if running.Code != "" {
			fmt.Fprintf(r.Stdout, "Make the first account: %s/setup#%s\n", running.URL, running.Code)
		} else if err := r.hintLocked(st); err != nil {
			return err
		}
	}
	if r.Started != nil {
		r.Started(running)
	}
	return nil
}

// hintLocked helps where there are accounts, but nobody can sign in: after an
// import, say.
func (r *run) hintLocked(st *stores) error {
	people, err := st.accounts.People(r.ctx)
	if err != nil {
		return err
	}
	for _, p := range people {
		if !p.Locked && !p.Disabled {
			return nil
		}
	}
	for _, p := range people {
		if !p.Disabled {
			fmt.Fprintf(r.Stdout, "Nobody can sign in yet. Set a password: elowen admin user passwd %s\n", visible(p.Name))
			return nil
		}
	}
	return nil
}

// address is where people reach the server, without a slash at its end.
func (c *serveCommand) address(addr net.Addr) string {
	if c.PublicURL != "" {
		if u, err := url.Parse(c.PublicURL); err == nil && strings.Trim(u.Path, "/") != "" {
			return strings.TrimRight(c.PublicURL, "/")
		}
		return strings.TrimRight(c.PublicURL, "/") + strings.TrimRight(c.BasePath, "/")
	}
	host, port, err := net.SplitHostPort(addr.String())
	if err != nil {
		return "http://" + addr.String()
	}
	if ip := net.ParseIP(host); ip == nil || ip.IsUnspecified() {
		host = "localhost"
	}
	return "http://" + net.JoinHostPort(host, port) + strings.TrimRight(c.BasePath, "/")
}
