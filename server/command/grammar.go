package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/alecthomas/kong"

	"elowen/server/connect"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

// grammar is the command line.
type grammar struct {
	Data    *string          `placeholder:"DIR" help:"Data directory (${dataDefault})."`
	JSON    bool             `name:"json" help:"Print one JSON document instead of text."`
	Config  string           `placeholder:"FILE" help:"JSON file with a value for each flag that isn't given (${configDefault})."`
	Version kong.VersionFlag `help:"Print the version and stop."`

	Serve    serveCommand    `cmd:"" help:"Run the server: the app, its API and the daily sweep."`
	Setup    setupCommand    `cmd:"" help:"Choose how memories are found by meaning."`
	Doctor   doctorCommand   `cmd:"" help:"Check that everything works, and say how to mend what doesn't."`
	Licenses licensesCommand `cmd:"" help:"Print the licences of what the program is made of."`
	MCP      mcpCommand      `cmd:"" name:"mcp" help:"Be a memory for an agent, over its standard streams (Model Context Protocol)."`
	Connect  connectCommand  `cmd:"" help:"Tell a client (Claude Code, Cursor, Codex and others) of this memory, in its config."`
	Relay    relayCommand    `cmd:"" name:"mcp-relay" hidden:"" help:"Answer the messages that another elowen mcp passes on."`
	Admin    adminCommand    `cmd:"" help:"Look after a data directory, whether or not its server runs."`
}

type adminCommand struct {
	User         userCommand         `cmd:"" help:"Accounts of people."`
	Token        tokenCommand        `cmd:"" help:"Personal tokens, for programs that act for somebody."`
	Retention    retentionCommand    `cmd:"" help:"The retention policy and the sweep."`
	Backup       backupCommand       `cmd:"" help:"Write a verified backup to a new file."`
	Restore      restoreCommand      `cmd:"" help:"Bring a backup back. The present store is kept beside it."`
	Verify       verifyCommand       `cmd:"" help:"Check the store, or a backup, to the last row."`
	Export       exportCommand       `cmd:"" help:"Write memories as JSONL, with all that belongs to them."`
	Import       importCommand       `cmd:"" help:"Bring memories in, from an export or another system."`
	Reindex      reindexCommand      `cmd:"" help:"Build the indexes of words and of meaning anew."`
	Recategorize recategorizeCommand `cmd:"" help:"Sort memories into categories again."`
	Calibrate    calibrateCommand    `cmd:"" help:"Measure how alike memories are, and propose thresholds."`
	Stats        statsCommand        `cmd:"" help:"Count what is there."`
	Vacuum       vacuumCommand       `cmd:"" help:"Give the space of what was deleted back to the disk."`
}

const about = `Long-term memory for AI assistants: memories that fade when they are not used.

Each flag can also be set by a variable: --data by ELOWEN_DATA, --public-url by ELOWEN_PUBLIC_URL.
Exit codes: 0 done, 1 failed, 2 not understood.`

func (s *System) parser(g *grammar, args []string) (*kong.Kong, error) {
	values, err := s.config(args)
	if err != nil {
		return nil, err
	}
	row := func(key string) string { return setting.Get(key).DefaultText }
	return kong.New(g,
		kong.Name("elowen"), kong.Description(about),
		kong.Writers(s.Stdout, s.Stderr),
		kong.Exit(func(code int) { panic(exited(code)) }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
		kong.Resolvers(resolver{s, values}),
		kong.Vars{
			"version":       version,
			"clients":       strings.Join(connect.IDs(), ", "),
			"dataDefault":   "default " + s.defaultData(),
			"configDefault": "default " + s.defaultConfig() + ", where there is one",
			"addr":          row("serve.addr"), "basePath": row("serve.basePath"), "publicURL": row("serve.publicURL"),
			"addrHelp": setting.Get("serve.addr").Label, "basePathHelp": setting.Get("serve.basePath").Label,
			"publicURLHelp": setting.Get("serve.publicURL").Label + ". " + setting.Get("serve.publicURL").Help,
		})
}

// flagNames are the names of every flag.
func flagNames() map[string]bool {
	s := &System{Env: func(string) (string, bool) { return "", false }, Stdout: io.Discard, Stderr: io.Discard}
	k, err := s.parser(&grammar{}, nil)
	if err != nil {
		panic(err) // the grammar is part of the program
	}
	return namesOf(k.Model)
}

func namesOf(app *kong.Application) map[string]bool {
	names := map[string]bool{}
	_ = kong.Visit(app, func(node kong.Visitable, next kong.Next) error {
		if f, ok := node.(*kong.Flag); ok {
			names[f.Name] = true
		}
		return next(nil)
	})
	return names
}

// resolver gives a flag that is not on the command line the value of its
// variable, or of the config file.
type resolver struct {
	s      *System
	values map[string]any
}

// Validate refuses a config file with a name that is no flag: a typing error
// there would be a setting that silently does nothing.
func (v resolver) Validate(app *kong.Application) error {
	known := namesOf(app)
	for name := range v.values {
		if !known[name] {
			return fmt.Errorf("the config file sets %q, and there is no such flag", name)
		}
	}
	return nil
}

// Resolve looks the flag up.
func (v resolver) Resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	switch flag.Name {
	case "help", "version":
		return nil, nil //nolint:nilnil // kong's way of saying no
	}
	if text, ok := v.s.Env(variable(flag.Name)); ok && text != "" {
		return text, nil
	}
	if value, ok := v.values[flag.Name]; ok && flag.Name != "config" {
		return value, nil
	}
	return nil, nil //nolint:nilnil // kong's way of saying no
}

// variable is the name of a flag's environment variable.
func variable(flag string) string {
	return "ELOWEN_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// config reads the config file: the one that is named, which must be there, or
// the usual one, which may be missing.
func (s *System) config(args []string) (map[string]any, error) {
	file, named := s.Env(variable("config"))
	for i, a := range args {
		if a == "--" {
			break
		}
		if rest, ok := strings.CutPrefix(a, "--config="); ok {
			file, named = rest, true
		} else if a == "--config" && i+1 < len(args) {
			file, named = args[i+1], true
		}
	}
	if named = named && file != ""; !named {
		file = s.defaultConfig()
	}
	none := map[string]any{}
	if file == "" {
		return none, nil
	}
	text, err := os.ReadFile(s.path(file))
	if errors.Is(err, fs.ErrNotExist) && !named {
		return none, nil
	}
	if err != nil {
		return nil, fault.Wrap(fault.Invalid, err, "The config file cannot be read: "+err.Error())
	}
	var values map[string]any
	if err := json.Unmarshal(text, &values); err != nil {
		return nil, fault.Wrap(fault.Invalid, err, fmt.Sprintf("The config file %s is not a JSON object: %v", file, err))
	}
	return values, nil
}

// path makes a path of the command line absolute.
func (s *System) path(p string) string {
	if rest, ok := strings.CutPrefix(p, "~/"); ok {
		if home, ok := s.Env("HOME"); ok {
			return filepath.Join(home, rest)
		}
	}
	if filepath.IsAbs(p) {
		return filepath.Clean(p)
	}
	return filepath.Join(s.Dir, p)
}

// dataDir is the data directory: the one that is named, which is never taken for
// the usual one because it is empty, or the usual one.
func (s *System) dataDir(flag *string) (string, error) {
	dir := s.defaultData()
	if flag != nil {
		dir = *flag
	}
	if dir == "" {
		return "", fault.New(fault.Invalid, "Name the data directory with --data.")
	}
	return s.path(dir), nil
}

func (s *System) defaultData() string {
	return s.home("XDG_DATA_HOME", ".local/share", "elowen")
}

func (s *System) defaultConfig() string {
	return s.home("XDG_CONFIG_HOME", ".config", "elowen/config.json")
}

// home is a path in one of the user's standard folders; empty where there is none.
func (s *System) home(name, usual, rest string) string {
	if dir, ok := s.Env(name); ok && filepath.IsAbs(dir) {
		return filepath.Join(dir, rest)
	}
	if home, ok := s.Env("HOME"); ok && home != "" {
		return filepath.Join(home, usual, rest)
	}
	return ""
}
