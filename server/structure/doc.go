// Package structure holds no code, only tests of the shape of the tree: who may
// import whom, which package may name a table in its SQL, what stands at the top,
// how long a file may be, and what the browser's build may contain.
//
// The tests read the source themselves instead of trusting go list alone, whose
// answers inside a test are remembered longer than they are true: go test repeats
// a cached verdict until a file changes that the test has read.
//
// What it doesn't do: style. gofmt and go vet run beside it.
package structure
