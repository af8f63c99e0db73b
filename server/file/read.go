package file

import (
	"bufio"
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
	err := eachLine(ctx, f, func(number int, text string) bool {
		n = number
		switch {
		case number < first:
			return true
		case number >= first+most || b.Len() >= setting.Int("file.bytes"):
			cut = true
			return false
		}
		fmt.Fprintf(&b, "%d\t%s\n", number, text)
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

// eachLine calls use with each line, cut to what is shown of one, until it has enough.
func eachLine(ctx context.Context, f io.Reader, use func(number int, text string) bool) error {
	r := bufio.NewReaderSize(f, 64<<10)
	most := setting.Int("file.columns")
	for number := 1; ; number++ {
		if number%256 == 0 && ctx.Err() != nil {
			return fault.Wrap(fault.Cancelled, ctx.Err(), "Reading was broken off.")
		}
		piece, err := r.ReadSlice('\n')
		text := strings.TrimRight(string(piece[:min(len(piece), most)]), "\r\n")
		long := len(piece) > most+2
		for errors.Is(err, bufio.ErrBufferFull) {
			if ctx.Err() != nil {
				return fault.Wrap(fault.Cancelled, ctx.Err(), "Reading was broken off.")
			}
			_, err = r.ReadSlice('\n')
			long = true
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return fault.Wrap(fault.Unavailable, err, "The file can't be read to its end.")
		}
		if err != nil && len(piece) == 0 {
			return nil
		}
		if long {
			text = strings.ToValidUTF8(text, "") + " … [a longer line]"
		}
		if !use(number, text) || err != nil {
			return nil
		}
	}
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
