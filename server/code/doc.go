// Package code runs scripts that a model wrote, in JavaScript, where they can do no harm.
//
// # Concepts
//
// A Sandbox runs each script in a process of its own: this same program, started with
// Argument and without any environment, which Child recognizes. The child lowers what it
// may use before it reads anything: memory, time of the processor, files (none may be
// opened, none may grow). Its interpreter has the language and nothing else: no module,
// no file, no network, no timer. What it can do is print, and call tools.
//
// A tool is called over the child's two pipes and runs in the parent: a line of JSON asks,
// a line answers. In the script each tool is a function of the object tools that takes
// one object and gives a promise, so that a script may await one or several at once.
// Whose tools they are, and what they may do, the caller of Run decides.
//
// Only what a script prints is its result. What ends it, an error of its own or a bound,
// is told in words for the model that wrote it, beside what was printed until then.
//
// # Invariants
//
// Nothing that a script does reaches beyond its process but calls of the named tools.
// Every length is bounded on both ends of the pipes: the parent believes no child. A run
// ends at the latest when its deadline or its context does, and the child is gone then.
//
// # What it does not do
//
// It knows no tool and no memory, cuts no output to what a model is shown, and keeps
// nothing from one run to the next.
package code
