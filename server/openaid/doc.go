// Package openaid is the door for programs that speak OpenAI's API: chat completions,
// embeddings and the list of models, under /v1.
//
// # Concepts
//
// A program is set up as for OpenAI, with this server's address and a token as its key.
// It keeps its conversations itself and sends all of one with each request. What is
// recalled for its last message stands behind that message when the model is asked, and
// stays there for all later requests of the conversation, as package turn sees to; the
// program is told nothing of it. People see the conversation in the app like any other,
// with what was recalled in it.
//
// The model is the one that is named, or the chat role's, which is called elowen. The
// program's messages, its tools, and whatever else it asks for go to the provider as it
// wrote them; what it asks for and can't have is refused, not passed over.
//
// Errors have OpenAI's shape, so that its clients know what to try again. Before an answer
// has begun they have a status; within a stream they are its last event.
//
// # Invariants
//
// Who asks is found out before the body is read, by a token alone. Bodies are bounded and
// read strictly. Nothing of a provider's own words about an error gets out. An answer has
// begun only when the model has said something, and its end is told when all of it is
// stored. What embedding costs is counted to whoever asks.
//
// # What it does not do
//
// It runs no tools and offers none of elowen's: who wants those uses MCP. It gives one
// answer at a time, in words: several choices, log probabilities and sound are refused.
// It keeps nothing itself.
package openaid
