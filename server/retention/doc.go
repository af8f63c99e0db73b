// Package retention decides what fades into the trash, and when: it keeps the
// policy, plans, sweeps and previews.
//
// # Concepts
//
// The policy is the instance's: how fast each level of importance fades, the
// floor, the grace period, the daily limit. Settings reads it, together with the
// instant of the next sweep, inside whatever transaction asks; so package memory
// computes with the terms in force without knowing this package.
//
// A plan (Plan) is pure: memories, policy, instant and what is left of the daily
// limit in, one verdict with its reason per memory out. The sweep, the preview
// and a dry run all show the same plan.
//
// A sweep goes over every account, the lowest vitality first, then the oldest,
// in pages whose size has nothing to do with the limit. Each candidate goes
// through the one guarded call of package memory, which looks at everything again
// in its own transaction and counts the audit: so a restart, a second program or
// eight at once cannot exceed the limit, and a memory used since the plan stays.
//
// The next sweep is a stored instant. It is set before the server reports ready,
// and moved only by the schedule's own sweep (at boot and every 24 hours) or a
// detected jump of the clock. A sweep asked for by a person doesn't move it, so
// the dates that people see stay where they are.
//
// # Tables
//
// sweep (what each sweep did to each account). The policy is a group of package
// settings; the instant is the store's meta value "nextSweepAt".
//
// # What it does not do
//
// It computes no vitality (package vitality) and changes no memory itself
// (package memory).
package retention
