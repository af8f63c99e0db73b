// Package memory keeps the memories of every account: adding, editing, merging,
// the trash, purging, their audit, their uses, and the index of their words.
package memory
