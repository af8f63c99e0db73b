package db

import "iter"

// Each calls one for every row, which it may Scan, and closes the rows. It ends at the
// first error.
func (r *Rows) Each(one func() error) error {
	defer r.Close()
	for r.Next() {
		if err := one(); err != nil {
			return err
		}
	}
	return r.Err()
}

// List reads all rows and closes them; dest says where the columns of one go.
func List[T any](r *Rows, dest func(*T) []any) ([]T, error) {
	var list []T
	err := r.Each(func() error {
		var v T
		if err := r.Scan(dest(&v)...); err != nil {
			return err
		}
		list = append(list, v)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

// IDs is List of a query with one column, of ids.
func IDs[T ~int64](r *Rows) ([]T, error) {
	var list []T
	var id int64
	err := r.Each(func() error {
		if err := r.Scan(&id); err != nil {
			return err
		}
		list = append(list, T(id))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return list, nil
}

// InParts is In for as many ids as there are: the placeholders and arguments of one
// query after the other, each for at most InMost of them.
func InParts[T ~int64](ids []T) iter.Seq2[string, []any] {
	return func(yield func(string, []any) bool) {
		for len(ids) > 0 {
			n := min(len(ids), InMost)
			if in, args := In(ids[:n]); !yield(in, args) {
				return
			}
			ids = ids[n:]
		}
	}
}
