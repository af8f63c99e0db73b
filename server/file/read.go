package file

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"elowen/server/tool"
	"elowen/shared/fault"
	"elowen/shared/setting"
)

type readArguments struct {
	Path  string `json:"path" validate:"required,text=file.path"`
	Line  *int   `json:"line,omitempty" validate:"omitempty,setting=file.line"`
	Lines *int   `json:"lines,omitempty" validate:"omitempty,setting=file.lines"`
}

func read(ctx context.Context, r roots, args []byte) (string, error) {
	in, err := tool.Arguments[readArguments](readInput, args)
	if err != nil {
		return "", err
	}
	first, most := 1, setting.Int("file.lines")
	if in.Line != nil {
		first = *in.Line
	}
	if in.Lines != nil {
		most = *in.Lines
	}
	at, all, err := r.find(in.Path)
	if err != nil {
		return "", err
	}
	if all {
		return "", wrong(errNoFile, in.Path)
	}
	opened, err := at.open()
	if err != nil {
		return "", err
	}
	defer opened.Close()
	f, info, err := regular(opened, at.inside)
	if err != nil {
		return "", wrong(err, in.Path)
	}
	defer f.Close()
	switch isBinary, err := sniffed(f); {
	case err != nil:
		return "", wrong(err, in.Path)
	case isBinary:
		return fmt.Sprintf("[%s is no text: a binary file of %s.]", line(at.told()), sized(info.Size())), nil
	case info.Size() == 0:
		return "[The file is empty.]", nil
	}
	return lines(ctx, f, first, most)
}

// lines are the lines of a text from one on, each with its number.
func lines(ctx context.Context, f io.Reader, first, most int) (string, error) {
	var b strings.Builder
	n := 0
	cut := false
	err := eachLine(ctx, f, setting.Int("file.columns"), func(number int, text []byte, whole bool) bool {
		n = number
		switch {
		case number < first:
			return true
		case number >= first+most || b.Len() >= setting.Int("file.bytes"):
			cut = true
			return false
		}
		fmt.Fprintf(&b, "%d\t%s\n", number, shown(text, whole))
		return true
	})
	switch {
	case err != nil:
		return "", err
	case cut:
		fmt.Fprintf(&b, "[The file goes on. Read from line %d.]\n", n)
	case b.Len() == 0:
		return "", fault.BadField("line", "max", "", fmt.Sprintf("The file has only %d lines.", n))
	}
	return b.String(), nil
}

// eachLine calls use with each line, of which the first bytes are kept, without its end,
// until it has enough. whole tells whether they are all of it. The line is use's until it
// returns.
func eachLine(ctx context.Context, f io.Reader, keep int, use func(number int, text []byte, whole bool) bool) error {
	r := bufio.NewReaderSize(f, 64<<10)
	var text []byte
	for number := 1; ; number++ {
		if number%256 == 0 && ctx.Err() != nil {
			return fault.Wrap(fault.Cancelled, ctx.Err(), "Reading was broken off.")
		}
		text = text[:0]
		size := 0
		var err error
		for {
			var piece []byte
			piece, err = r.ReadSlice('\n')
			size += len(piece)
			text = append(text, piece[:min(len(piece), keep+len("\r\n")-len(text))]...)
			if !errors.Is(err, bufio.ErrBufferFull) {
				break
			}
			if ctx.Err() != nil {
				return fault.Wrap(fault.Cancelled, ctx.Err(), "Reading was broken off.")
			}
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return fault.Wrap(fault.Unavailable, err, "The file can't be read to its end.")
		}
		if err != nil && size == 0 {
			return nil
		}
		line := bytes.TrimRight(text, "\r\n")
		whole := size == len(text) && len(line) <= keep
		if !use(number, line[:min(len(line), keep)], whole) || err != nil {
			return nil
		}
	}
}

// longer stands behind what is shown of a line that is longer than that.
const longer = " … [a longer line]"

// shown is what is shown of a line: its beginning.
func shown(text []byte, whole bool) string {
	most := setting.Int("file.columns")
	if whole && len(text) <= most {
		return string(text)
	}
	return strings.ToValidUTF8(string(text[:min(len(text), most)]), "") + longer
}

// line is a name on one line.
func line(name string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '?'
		}
		return r
	}, name)
}

func isEnd(err error) bool { return errors.Is(err, io.EOF) }

func sortByName(entries []fs.DirEntry) {
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
}
