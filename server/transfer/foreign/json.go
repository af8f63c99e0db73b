package foreign

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"elowen/shared/fault"
	"elowen/shared/setting"
)

// cursor goes through a file of JSON value by value, without ever holding more of
// it than one value, and knows on which line it is.
type cursor struct {
	f     *File
	d     *jsontext.Decoder
	place *place
	c     io.Closer
}

// json begins to read a file.
func (f *File) json() (*cursor, error) {
	in, c, err := f.text()
	if err != nil {
		return nil, err
	}
	m := &measured{r: in, most: int64(setting.Int("import.value"))}
	m.d = jsontext.NewDecoder(m)
	return &cursor{f: f, d: m.d, place: &place{f: f}, c: c}, nil
}

func (c *cursor) close() {
	c.c.Close()
	c.place.close()
}

// measured is a reader that ends where the decoder would have to hold more than most
// bytes for one value.
type measured struct {
	r    io.Reader
	d    *jsontext.Decoder
	read int64
	most int64
}

var errLongValue = errors.New("a single value is too large")

// Read implements io.Reader.
func (m *measured) Read(p []byte) (int, error) {
	room := m.most - (m.read - m.d.InputOffset())
	if room <= 0 {
		return 0, errLongValue
	}
	n, err := m.r.Read(p[:min(int64(len(p)), room)])
	m.read += int64(n)
	return n, err
}

// fail says an error of the decoder with its line.
func (c *cursor) fail(err error) error {
	var broken *Fault
	var syntax *jsontext.SyntacticError
	at := func(offset int64, message string) error {
		line, err := c.place.at(offset)
		if err != nil {
			return err
		}
		return &Fault{c.f.Name, line, message}
	}
	switch {
	case err == nil || errors.As(err, &broken) || fault.KindOf(err) != fault.Internal:
		return err
	case errors.Is(err, errLongValue):
		line, err := c.place.next(c.d.InputOffset())
		if err != nil {
			return err
		}
		return &Fault{c.f.Name, line, fmt.Sprintf("A single value is larger than %d MiB.", setting.Int("import.value")>>20)}
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		return at(c.f.Size, "The JSON ends too early; the file is not whole.")
	case errors.As(err, &syntax):
		why := "this is no JSON"
		switch {
		case errors.Is(syntax.Err, jsontext.ErrDuplicateName):
			why = "a name stands in the same object twice"
		case syntax.Err != nil:
			why = syntax.Err.Error()
		}
		return at(syntax.ByteOffset, "The JSON is not valid: "+why+".")
	}
	return unreadable(c.f, err)
}

// kind is that of the value that comes: { [ " 0 t f n, or 0 at the end.
func (c *cursor) kind() jsontext.Kind { return c.d.PeekKind() }

// object goes through an object; each reads or skips the value of a name.
func (c *cursor) object(each func(name string) error) error {
	if c.kind() != '{' {
		return c.unexpected("an object")
	}
	if _, err := c.d.ReadToken(); err != nil {
		return c.fail(err)
	}
	for c.kind() == '"' {
		name, err := c.d.ReadToken()
		if err != nil {
			return c.fail(err)
		}
		if err := each(name.String()); err != nil {
			return err
		}
	}
	_, err := c.d.ReadToken()
	return c.fail(err)
}

// array goes through an array; each reads or skips a value.
func (c *cursor) array(each func() error) error {
	if c.kind() != '[' {
		return c.unexpected("a list")
	}
	if _, err := c.d.ReadToken(); err != nil {
		return c.fail(err)
	}
	for k := c.kind(); k != ']' && k != 0 && k != jsontext.KindInvalid; k = c.kind() {
		if err := each(); err != nil {
			return err
		}
	}
	_, err := c.d.ReadToken()
	return c.fail(err)
}

// unexpected is a value of another kind than the format has there.
func (c *cursor) unexpected(want string) error {
	if k := c.kind(); k == 0 || k == jsontext.KindInvalid {
		_, err := c.d.ReadToken()
		if err == nil {
			err = io.ErrUnexpectedEOF
		}
		return c.fail(err)
	}
	line, err := c.line()
	if err != nil {
		return err
	}
	return &Fault{c.f.Name, line, "There must be " + want + " here."}
}

// skip leaves the next value out.
func (c *cursor) skip() error { return c.fail(c.d.SkipValue()) }

// line is the line on which the next value begins.
func (c *cursor) line() (int, error) {
	c.d.PeekKind()
	return c.place.next(c.d.InputOffset())
}

// value reads the next value as it stands there, with its line. It is valid until the
// next call.
func (c *cursor) value() (raw jsontext.Value, line int, err error) {
	if line, err = c.line(); err != nil {
		return nil, 0, err
	}
	raw, err = c.d.ReadValue()
	return raw, line, c.fail(err)
}

// end makes sure that nothing comes any more.
func (c *cursor) end() error {
	_, err := c.d.ReadToken()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return c.fail(err)
	}
	line, err := c.place.at(c.d.InputOffset())
	if err != nil {
		return err
	}
	return &Fault{c.f.Name, line, "There is more after the end of the JSON."}
}

// record reads a value into v, a pointer; names that v doesn't have are left out. What
// doesn't fit is told in a sentence.
func record(raw []byte, v any) error {
	err := json.Unmarshal(raw, v)
	var semantic *json.SemanticError
	var syntax *jsontext.SyntacticError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &semantic):
		where := strings.ReplaceAll(strings.Trim(string(semantic.JSONPointer), "/"), "/", ".")
		if len(where) > 100 {
			where = where[:100]
		}
		if where == "" {
			return fmt.Errorf("This is not what the format has here.")
		}
		if errors.Is(err, errTime) {
			return fmt.Errorf("%s is no time that could be read.", where)
		}
		return fmt.Errorf("%s is not what the format has there.", where)
	case errors.As(err, &syntax):
		switch {
		case errors.Is(err, jsontext.ErrDuplicateName):
			return fmt.Errorf("A name stands in it twice.")
		case errors.Is(err, io.ErrUnexpectedEOF):
			return fmt.Errorf("The JSON of this line ends too early.")
		case syntax.Err != nil:
			return fmt.Errorf("This is not valid JSON: %s.", syntax.Err)
		}
	}
	return fmt.Errorf("This is not valid JSON.")
}

// place finds the lines of offsets that grow. It reads the file beside the decoder.
type place struct {
	f    *File
	in   *bufio.Reader
	c    io.Closer
	read int64
	line int
}

func (p *place) close() {
	if p.c != nil {
		p.c.Close()
	}
}

// at is the line of an offset.
func (p *place) at(offset int64) (int, error) {
	if p.in == nil || offset < p.read {
		p.close()
		var err error
		if p.in, p.c, err = p.f.text(); err != nil {
			return 0, err
		}
		p.read, p.line = 0, 1
	}
	for p.read < offset {
		if err := p.step(); err != nil {
			if errors.Is(err, io.EOF) {
				return p.line, nil
			}
			return 0, unreadable(p.f, err)
		}
	}
	return p.line, nil
}

func (p *place) step() error {
	b, err := p.in.ReadByte()
	if err != nil {
		return err
	}
	p.read++
	if b == '\n' {
		if _, err := p.in.Peek(1); err == nil { // the last line has no line after it
			p.line++
		}
	}
	return nil
}

// next is the line of the value that comes after an offset.
func (p *place) next(offset int64) (int, error) {
	if _, err := p.at(offset); err != nil {
		return 0, err
	}
	for {
		b, err := p.in.Peek(1)
		if err != nil || !strings.ContainsRune(" \t\r\n,:", rune(b[0])) {
			return p.line, nil
		}
		if err := p.step(); err != nil {
			return p.line, nil
		}
	}
}
