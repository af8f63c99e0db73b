package command

import (
	"path/filepath"

	"elowen/server/embedding"
	encoders "elowen/server/embedding/local"
	"elowen/server/embedding/local/weight"
	"elowen/server/embedding/queue"
	"elowen/server/feed"
	"elowen/server/model"
	"elowen/shared/fault"
)

// builtIn are the models that the program brings, or that a data directory has the
// weights of.
func (s *System) builtIn(dir string) model.Local {
	if s.Local != nil {
		return s.Local
	}
	return builtIn{encoders.New(weight.Files{Dir: filepath.Join(dir, weight.Folder)})}
}

// builtIn makes package local's models those of package model.
type builtIn struct{ *encoders.Models }

// Space implements model.Local.
func (b builtIn) Space(name string) (embedding.Space, error) {
	m, err := b.Open(name)
	if fault.Is(err, fault.NotFound) {
		return embedding.Space{}, err
	}
	return encoders.Embedder{Model: m}.Space(), nil // its weights may come later
}

// Embedder implements model.Local.
func (b builtIn) Embedder(name string) (embedding.Embedder, error) {
	m, err := b.Open(name)
	if err != nil {
		return nil, err
	}
	return encoders.Embedder{Model: m}, nil
}

// queue makes the queue that indexes memories in the background.
func (st *stores) queue(s *System, changes *feed.Feed) *queue.Queue {
	return queue.New(queue.Options{
		DB: st.db, Memories: st.memories, Feed: changes, Service: st.embedding,
		Kinds:   []queue.Kind{queue.NewVectors(st.embedding)},
		Refresh: st.models.Apply, Wake: s.Wake, Log: st.log,
	})
}
