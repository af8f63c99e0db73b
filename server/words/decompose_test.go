package words

import "golang.org/x/text/unicode/norm"

func decompose(s string) string { return norm.NFD.String(s) }
