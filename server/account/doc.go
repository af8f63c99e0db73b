// Package account holds the people of an instance: their accounts, the ways to
// prove who one is, and what one may do.
//
// Concepts. An account has a name (unique whatever its case), a role (admin or
// member) and a password, or none while it is locked. A session is a browser's
// proof: a random secret in a cookie, renewed from time to time. A token is a
// program's proof: a secret that is shown once, with scopes. Identity is who a
// request comes from after either proof; Can answers what it may do. The first
// account is made with a one-time code that the serving process prints. A pool,
// what a project shares, is an account of another kind: it owns rows as a person
// does, and nobody signs in to it, lists it, or gives it a token.
//
// Tables. account, session, token, revoked_token. Secrets are stored as SHA-256 of 130 random
// bits, passwords as argon2id.
//
// Invariants. An instance that has an enabled administrator with a password keeps
// one. A disabled account has no sessions and its tokens open nothing. A new
// password ends all other sessions. A wrong password and an unknown name take the
// same time and read the same. At most two passwords are hashed at a time. Every
// change of what a person sees or may do is noted on that account's change log
// (db.NounAccount), so that open connections ask Check again; the bookkeeping of
// sessions (last use, renewed secrets) is not. The use of a token is told as db.NounToken:
// people see it live, and nobody has to ask Check for it.
//
// What it doesn't do: HTTP and cookies (adapters), and removing what an account
// owns elsewhere: erasing is put together by the command, from MarkErasing, each
// noun's own part, and Delete.
package account
