// Package remote is the tools of others: servers that speak the Model Context Protocol,
// which an account adds, and whose tools the models of its conversations may call.
//
// # Concepts
//
// A server is reached over HTTP, or it is a program that is started here and spoken with
// over its standard streams. The latter runs code on this machine, so only administrators
// have such, and it is used only while its owner is one. A member's address is looked at
// when a connection is dialled, after names were resolved: none of this machine, its
// network or another private range, unless an administrator allows it. Redirects are not
// followed, and no proxy is asked.
//
// A Store keeps them; a Kit (package tool) connects to them and offers their tools, each
// under its server's name. Connections are kept while they are used. What a server's
// tools are is remembered a while, so that a model's requests begin the same.
//
// # Tables
//
// mcp_server. Headers and variables are sealed (package secret) and never served.
//
// # Invariants
//
// All that a server writes is hostile text: it is bounded, can't be taken for a memory,
// and nothing in it changes what another tool does. A server that fails, hangs or talks
// without end costs its own tools and nothing else. Secrets go to the address that they
// were given for.
//
// # What it does not do
//
// It offers a server nothing: no files, no model, no questions to the person. It reads no
// resources and no prompts.
package remote
