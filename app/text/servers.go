package text

// Of the page of MCP servers that the person has added.
const (
	Servers          = "Tools"
	ServersWhy       = "Servers of others that speak the Model Context Protocol. In your conversations here the model may call their tools; they see what it gives them, and nothing else."
	NoServers        = "None yet."
	NewServer        = "Add a server"
	ServerName       = "Short name"
	ServerNameHint   = "Small letters, digits and dashes. It begins the names of its tools."
	ServerKind       = "Where it is"
	ServerAtAddress  = "At an address"
	ServerProgram    = "A program on this machine"
	ServerAddress    = "Address"
	ServerCommand    = "Program"
	ServerArguments  = "Arguments, one a line"
	ServerHeaders    = "Headers, such as Authorization: Bearer …, one a line"
	ServerVariables  = "Variables, such as KEY=value, one a line"
	ServerSecretHint = "Stored encrypted, and never shown again."
	ServerRuns       = "It runs as the user of elowen itself, with all that this user may do."
	AddServer        = "Add"
	ServerAdded      = "Added. Test whether it answers"
	TestServer       = "Test"
	TestingServer    = "Asking it…"
	ServerOn         = "Switch on"
	ServerOff        = "Switch off"
	ServerIsOff      = "off"
	ServerLost       = "Its secrets can't be read any more. Remove it and add it again."
	ServerRemoved    = "Removed"
	RemoveServerBody = "Its tools are gone from your conversations at once. What they answered stays there."
	BadHeader        = "Each line needs a name, a colon and a value."
	BadVariable      = "Each line needs a name, an equals sign and a value."
	NeedServerName   = "Give it a short name."
	NeedAddress      = "Where is it?"
)

// RemoveServerTitle asks before a server is removed.
func RemoveServerTitle(name string) string { return "Remove " + Quote(name) }

// ServerAnswers says that a server answered, and with how many tools.
func ServerAnswers(n int) string { return "It answers, with " + Count(n, "tool", "tools") + "." }

// ServerLeavesOut says that a server has more tools than are offered.
func ServerLeavesOut(n int) string {
	return Count(n, "more tool is", "more tools are") + " left out: there are too many, or one is called as another is."
}

// ServerHolds names what is stored for a server.
func ServerHolds(names []string) string {
	out := "with "
	for i, n := range names {
		if i > 0 {
			out += ", "
		}
		out += n
	}
	return out
}
