package text

import (
	"strings"

	"elowen/shared/api"
)

// Of the page that connects clients.
const (
	Connect          = "Connect"
	ConnectWhy       = "Let an assistant remember: it reads and saves your memories through a token of its own. What it saves and recalls appears here as it happens."
	ConnectClient    = "Which one?"
	ConnectTokenWhy  = "Each client gets a token of its own, so that the history tells them apart and one can be revoked alone. It may read and save, not look after the server."
	ConnectTokenHead = "A token for it"
	ConnectStepsHead = "Tell it where your memories are"
	ConnectOneOf     = "One of these does it. They have an example in place of the token until you make one."
	ConnectOneDoes   = "One of these does it."
	ConnectCallHead  = "The first call"
	ConnectNoToken   = "Make a token, put it into the client, and its first call shows here at once."
	ConnectWaiting   = "Waiting for the first call…"
	ConnectDone      = "Connected."
	ConnectSaveHead  = "What it saves"
	ConnectAsked     = "It saves when it is asked to. Elowen tells it what is worth saving, and it mostly follows; to be sure, say “remember this”"
	ConnectByItself  = "It saves by itself, after each exchange."
	ConnectLocal     = "Where the server runs on the client's machine and as yourself, no token is needed: the client starts elowen over the same memories."
	ConnectHistory   = "A terminal keeps what is typed in its history, the token too."
)

// ConnectMake labels the button that makes a token for a client.
func ConnectMake(client string) string { return "Make a token for " + client }

// ConnectStep says what a step is.
func ConnectStep(kind, file string) string {
	switch kind {
	case api.ConnectTerminal:
		return "In a terminal, with its own command"
	case api.ConnectConfig:
		return "In its file " + file
	case api.ConnectElowen:
		return "In a terminal, with elowen installed there: it changes that file, shows how, and keeps what else is in it"
	case api.ConnectHTTP:
		return "Over HTTP, in its list of MCP servers"
	}
	return "As a program that it starts, with elowen installed there"
}

// ConnectQuoted is what elowen is called, as it stands in a step of a kind.
func ConnectQuoted(kind, program string) string {
	switch kind {
	case api.ConnectTerminal, api.ConnectElowen:
		return shell(program)
	}
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(program)
}

// ConnectPlaces are the places of a file on different systems.
func ConnectPlaces(files []api.ConnectFile) string {
	s := ""
	for i, f := range files {
		if i > 0 {
			s += ", "
		}
		s += f.Path
		if f.System != "" {
			s += " (" + f.System + ")"
		}
	}
	return s
}

// ConnectStart says what to do after the change; look is where the client shows it.
func ConnectStart(client, look string) string {
	s := "Start " + client + " again after the change"
	if look != "" {
		s += "; it lists elowen under " + look
	}
	return s + "."
}

// ConnectMakeAnother labels the button that makes one more token for a client.
func ConnectMakeAnother(client string) string { return "Make another token for " + client }

// ConnectHasToken says that a client has its token already.
func ConnectHasToken(date string) string {
	return "It has a token, made " + date + ". If the client doesn't have it any more, make another one, and revoke the old one under Tokens."
}

// ConnectSeen says when a client called last.
func ConnectSeen(client, when string) string { return client + " last called " + when + "." }

// ConnectCalled says when the first call came.
func ConnectCalled(client, when string) string { return client + " called " + when + "." }

// ConnectPrompt says how a client is asked to save; command may be empty.
func ConnectPrompt(command string) string {
	if command == "" {
		return ConnectAsked + "."
	}
	return ConnectAsked + ", or use " + command + "."
}
