// Package validation reads what comes from outside and judges it: JSON by strict
// rules, query strings, and the validate tags of package api with the bounds of
// package setting. REST, MCP and the command line use it on the same types, so a
// bound is told everywhere in the same words.
//
// Concepts. Decode turns bytes into a value and refuses what is not exactly such
// a value: unknown, repeated or wrongly cased names, text that is not UTF-8, half
// surrogates, a second value after the first. Struct judges a value by its tags.
// Both answer fault.Invalid (or fault.TooLarge) with the field's JSON path, the
// violated rule, its bound and a plain sentence. Nothing is repaired: a value is
// taken as it is, or not at all.
//
// Rules beside validator's own: `setting=KEY` a number within the row's bounds,
// whole where the row says so · `line=KEY` text of the row's length in characters
// without control characters · `text=KEY` the same with line breaks and tabs ·
// `label` a kind · `body` a memory's body · `ids=KEY` distinct positive ids, as
// many as the row allows · `name` an account's name · `password`.
//
// Hidden makes a copy of a request without what its `secret:"true"` tags mark, for
// whatever is kept of requests.
//
// What it doesn't do: anything that needs the store, such as whether a category
// exists.
package validation
