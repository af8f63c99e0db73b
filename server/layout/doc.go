// Package layout places an account's memories on a map: near in meaning is near in
// place.
//
// # Concepts
//
// A picture is where each memory is, on a plane without units. It is made of the
// memories' vectors in three steps: their principal components (the reduced vectors, and
// a first place by the first two), the graph of each one's nearest, and a bounded number
// of steps in which neighbours attract and others repel each other, as UMAP does
// (McInnes, Healy, Melville 2018, with its curve for a minimal distance of 0.1). All
// chance in it comes from a generator that begins the same each time, so the same
// vectors give the same picture.
//
// A picture is kept for its account and space. What is new since is placed between its
// nearest, so that the rest stays where it was; only when much is new does the picture
// settle anew, from where everything was. Memories without a vector stand around the hub
// of their category: beside what is placed by meaning, or on a circle of hubs where
// there is no embedding.
//
// Clusters are hills of density. Their labels are words that are frequent in them and
// rare elsewhere.
//
// # Invariants
//
// What the map shows (which memories, their category, importance, vitality) is read in
// the transaction that answers; only places are kept. Nothing of one account is placed by
// another's, but for pools that it may read at that instant.
//
// # Tables
//
// None. Pictures are lost at a restart and made again.
package layout
