// Package category keeps an account's categories: the shelves that memories are
// filed on, and that decide what is recalled.
//
// Concepts. A category has a name, unique in its account whatever the case, a
// description that classifiers read, one of ten colours, and an icon. One of an
// account's categories may be its default: where an add without a category goes.
//
// A category may be bound to a project: then it is recalled there only. A shared one
// is owned by the project's pool, seen by those who may read that, and changed by
// administrators among them alone. Scope is what an account may recall, and where.
//
// Choice is a category as those who sort are told of it: equal ones are the same, unchanged.
//
// Tables: category. Which one is the default is the account's (package account).
//
// Invariants. Every change raises the revision and is emitted in its own
// transaction; a change that names an older revision is refused with the category
// as it is. The default is always one of the account's own. A category that is
// removed stops being the default in the same transaction.
//
// It doesn't know memories: their number comes from a function given to New, and
// deleting a category whose memories must lose it is package memory's.
package category
