// Package vitality is the arithmetic of forgetting: how alive a memory is at an
// instant, when it falls below the floor, when the sweep may take it, how a list
// is kept in that order without looking at the clock, and how the value came to be
// what it is.
//
// Concepts. A memory's vitality is a number from 0 to 100 that follows from its
// importance, its use count, its last use and the clock, and from nothing else:
// there is no pin and no level that never fades. A Policy holds the half-life of
// each of the ten levels, the floor, the grace period and the daily limit; its
// defaults and bounds are rows of elowen/shared/setting, and so is the scale.
//
// Invariants. Everything here is a pure function: no clock, no I/O, no tables, no
// state; the caller passes the instant. Instants are integer Unix milliseconds and
// a day is DayMillis of them, so no time zone can move an eviction. Within the
// accepted half-lives one millisecond moves the vitality by far more than floating
// point errs, so that a vitality strictly falls from one millisecond to the next
// (until it is too small for a float64), and the instants computed here are exact,
// not approximate. A half-life that is not positive and finite is an error wherever
// it is needed; it never means that a level is spared.
//
// What it does not do: it reads no settings and no rows, plans no sweep and counts
// no daily limit (package retention does), and is never linked into the browser,
// which shows what the server computed.
package vitality
