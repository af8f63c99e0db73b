package api

// PathConnect is the path of the clients that can be connected.
const PathConnect = "/api/connect"

// What stands in the texts of GET /api/connect for what only the page knows: the
// server's address without a slash at its end, a token, and what elowen is called on the
// client's machine. The last stands bare in a command, and within quotes elsewhere.
const (
	ConnectAddress = "https://ELOWEN-ADDRESS"
	ConnectToken   = "elw_YOUR-TOKEN"
	ConnectProgram = "ELOWEN-PROGRAM"
)

// ConnectAny is the id of every client that isn't named.
const ConnectAny = "any"

// The kinds of a ConnectStep. Each of a client's steps does it alone.
const (
	ConnectTerminal = "terminal" // the client's own command
	ConnectConfig   = "config"   // what its config file has
	ConnectElowen   = "elowen"   // elowen's command, which writes that file
	ConnectHTTP     = "http"     // of any client: an address and a header
	ConnectCommand  = "command"  // of any client: elowen as a program on standard streams
)

// ConnectClient is a program that can be told of elowen, and how.
type ConnectClient struct {
	ID       string        `json:"id"`
	Name     string        `json:"name"`
	Files    []ConnectFile `json:"files"` // its config
	Steps    []ConnectStep `json:"steps"`
	SavesAll bool          `json:"savesAll"` // it saves by itself, without being asked to
	Remember string        `json:"remember"` // how its people ask it to save a conversation; empty: in their own words
	Look     string        `json:"look"`     // where it shows whether it is connected; empty: that isn't known
}

// ConnectFile is where a client's config is, on a system or (empty) on all.
type ConnectFile struct {
	System string `json:"system"`
	Path   string `json:"path"`
}

// ConnectStep is a way to connect a client: a text to be copied.
type ConnectStep struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
}
