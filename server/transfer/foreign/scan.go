package foreign

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"elowen/shared/fault"
	"elowen/shared/setting"
)

// scan looks through a file's encoding, before anything of it is taken: each line
// that is not UTF-8, or has a NUL in it, is told.
func scan(ctx context.Context, f *File) ([]Fault, error) {
	in, err := f.raw()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	r := bufio.NewReaderSize(in, 64<<10)
	if wideMark(r) {
		return []Fault{{f.Name, 1, inUTF16}}, nil
	}
	var faults []Fault
	var carry []byte // a character that is cut by the end of the buffer
	told := false    // of this line
	column := 0
	tell := func(line int, message string) {
		if !told {
			faults = append(faults, Fault{f.Name, line, message})
		}
		told = true
	}
	for line := 1; ; {
		part, err := r.ReadSlice('\n')
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
			return nil, unreadable(f, err)
		}
		if cause := ctx.Err(); cause != nil {
			return nil, fault.Wrap(fault.Cancelled, cause, "The import was cancelled. Nothing was changed.")
		}
		data := part
		if len(carry) > 0 {
			data = append(carry, part...)
			carry = nil
		}
		for len(data) > 0 {
			c, n := utf8.DecodeRune(data)
			if c == utf8.RuneError && n == 1 {
				if errors.Is(err, bufio.ErrBufferFull) && !utf8.FullRune(data) {
					carry = append([]byte(nil), data...)
					break
				}
				tell(line, fmt.Sprintf("Byte 0x%02X at character %d is not UTF-8; the file may be in Latin-1 or Windows-1252. Save it as UTF-8.", data[0], column+1))
			}
			if c == 0 {
				tell(line, fmt.Sprintf("There is a NUL at character %d; this is no text.", column+1))
			}
			column++
			data = data[n:]
		}
		if len(faults) >= faultsMost || errors.Is(err, io.EOF) {
			return faults, nil
		}
		if err == nil {
			line, column, told = line+1, 0, false
		}
	}
}

const inUTF16 = "The file is in UTF-16 or UTF-32, as its first bytes say. Save it as UTF-8."

// wideMark tells whether text begins with the byte order mark of another encoding.
func wideMark(r *bufio.Reader) bool {
	start, _ := r.Peek(4)
	return bytes.HasPrefix(start, []byte("\xff\xfe")) || bytes.HasPrefix(start, []byte("\xfe\xff")) || bytes.HasPrefix(start, []byte("\x00\x00\xfe\xff"))
}

// wide tells whether the file is in such an encoding.
func (f *File) wide() (bool, error) {
	in, err := f.raw()
	if err != nil {
		return false, err
	}
	defer in.Close()
	return wideMark(bufio.NewReaderSize(in, 16)), nil
}

func unreadable(f *File, err error) error {
	if fault.KindOf(err) != fault.Internal {
		return err
	}
	return fault.Wrap(fault.Unavailable, err, f.Name+" cannot be read: "+err.Error())
}

func unprintable(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' }

// keyLike finds what providers' keys look like, by the prefixes that they document:
// OpenAI and Anthropic (sk-), GitHub (ghp_, github_pat_), GitLab (glpat-), Slack
// (xox?-), AWS (AKIA), Google (AIza), PEM blocks, and what calls itself a password.
var keyLike = regexp.MustCompile(`\bsk-[A-Za-z0-9_-]{20,}|\bgh[pousr]_[A-Za-z0-9]{30,}|\bgithub_pat_\w{30,}|\bglpat-[\w-]{20,}|\bxox[abprs]-[\w-]{10,}|\bAKIA[0-9A-Z]{16}\b|\bAIza[\w-]{35}|-----BEGIN [A-Z ]*PRIVATE KEY-----|(?i)\b(?:password|passwort|api[ _-]?key)\s*[:=]\s*\S{6,}`)

// keyHints are what one of them has in it, in small letters: most texts have none.
var keyHints = []string{"sk-", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xox", "akia", "aiza", "private key-", "password", "passwort", "apikey", "api key", "api_key", "api-key"}

func looksLikeKey(text string) bool {
	if len(text) > int(setting.Get("memory.body").Max) {
		return false // it is refused
	}
	small := strings.ToLower(text)
	for _, hint := range keyHints {
		if strings.Contains(small, hint) {
			return keyLike.MatchString(text)
		}
	}
	return false
}

// placesMost is how many places a note names.
const placesMost = 5

// tellKeys says which items look as if they held a key or password.
func (c *collector) tellKeys() {
	var places []string
	n := 0
	for _, i := range c.found.Items {
		if i.Err != nil || !looksLikeKey(i.Memory.Body) {
			continue
		}
		if n++; n <= placesMost {
			places = append(places, fmt.Sprintf("%s, line %d", i.File, i.Line))
		}
	}
	if n == 0 {
		return
	}
	if n > placesMost {
		places = append(places, "…")
	}
	c.note("%s as if a key or password were in it (%s). It is taken as it is; whoever may recall your memories may read it.",
		count(n, "memory looks", "memories look"), strings.Join(places, "; "))
}
