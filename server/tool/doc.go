// Package tool is what a model may do with memories: each tool one file, the same for
// every agent over MCP and for chats of our own.
//
// # Concepts
//
// A Tool has a name, a title, a description that says when to use it rather than which
// other one, hints, and schemas of its arguments and of its result. Schemas are flat:
// no null among types, no references, no alternatives, since clients drop tools that
// have such.
//
// A Call is one use of a tool: who it is for, as whoever brings it has found out, and
// the project that the agent works in. Run answers a Result whatever
// happens: what went wrong is a result too, in words that say what to do, because the
// model is the one who can mend it.
//
// What a tool hands out whole counts as recalled, through package delivery. Everything
// that others wrote is shown as package render shows it, in the text and in the object.
//
// # Invariants
//
// Arguments are read by the strict rules of package validation; only ids may also be
// texts of digits. A tool needs the scope that it names. Lists are [], never null.
// Categories of a project's pool are read here, never changed. A body that holds
// memories as they were recalled is refused.
//
// # What it does not do
//
// No protocol: package mcpd speaks MCP. It has no tables.
package tool
