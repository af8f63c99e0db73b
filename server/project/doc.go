// Package project keeps projects: what several people, or one of them in several
// folders, work on; and says who may read what they share.
//
// # Concepts
//
// A project has a slug, a name, roots (absolute real paths) and aliases (other
// slugs), and members. Which project a path belongs to is a matter of paths alone
// ([Contains]); whether an account may use that project is looked up always.
//
// A pool is what a project shares: memories that any of its readers may read and
// change. It is an owner of its own, an account of another kind, made on first use.
// Readable is who may read it: sharing is on, and the account is in the list of those
// named for it, or, where that is empty, among the project's members. There is no way
// around that for administrators, who may change the lists, and nothing is
// remembered: each transaction asks anew.
//
// # Tables
//
// project, project_root, project_alias, project_member, project_pool_member. No other
// package's SQL names them.
//
// # Invariants
//
// Only an administrator changes a project; that is the adapters' to see to. A project
// that one has no part in does not exist for one, but to administrators. Every change
// raises the revision and is told to those who see the project. Whoever gains or loses
// a pool is told in the same transaction to read their memories anew. Erasing the last
// account that was named for a pool ends the sharing: it must not open the pool to
// others. A project whose pool still holds memories is not deleted.
//
// # What it does not do
//
// It knows no categories and no memories: what a scope is made of is package
// category's, what is in a pool package memory's. It resolves no path on its own but
// by the function that New is given.
package project
