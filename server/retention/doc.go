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
// The sweep recurs (Daily): at boot and every 24 hours, at an instant that package
// schedule keeps, so it is known before the server reports ready. A sweep asked for by
// a person doesn't move it, so the dates that people see stay where they are.
// Housekeeping, which drops what is past its days, recurs beside it.
//
// # Tables
//
// sweep (what each sweep did to each account). The policy is a group of package
// settings.
//
// # What it does not do
//
// It computes no vitality (package vitality), changes no memory itself (package
// memory), and doesn't watch the clock (package schedule).
package retention
