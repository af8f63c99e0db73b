package transfer

import (
	"os"

	"elowen/shared/fault"
)

// Scratch is a file for what has to be whole before it is used: an import as it
// arrives, an export before it is sent. Where the system lets an open file go
// without a name it has none, so that nothing of anybody's memories is left
// behind, however the program ends. Where it doesn't, and where the program is
// killed between two steps, a file stays that ScratchNames finds.
type Scratch struct {
	*os.File
	kept bool // it has its name still
}

// The names of scratch files: what they hold is between the parts.
const (
	scratchStart = ".elowen-"
	scratchEnd   = "-*.part"
)

// What a scratch file holds.
const (
	scratchImport = "import"
	scratchExport = "export"
)

// ScratchNames are patterns of the names that scratch files have while they have
// one, for whoever tidies up.
func ScratchNames() []string {
	return []string{scratchStart + scratchImport + scratchEnd, scratchStart + scratchExport + scratchEnd}
}

// ImportScratch makes an empty scratch file for an import in dir (empty: the
// system's place). Import reads it as it is, without a second copy.
func ImportScratch(dir string) (*Scratch, error) { return scratch(dir, scratchImport) }

// ExportScratch makes one for an export.
func ExportScratch(dir string) (*Scratch, error) { return scratch(dir, scratchExport) }

func scratch(dir, what string) (*Scratch, error) {
	f, err := os.CreateTemp(dir, scratchStart+what+scratchEnd)
	if err != nil {
		return nil, fault.Wrap(fault.Unavailable, err, "There is no room to stage the "+what+": "+err.Error())
	}
	return &Scratch{File: f, kept: os.Remove(f.Name()) != nil}, nil
}

// Close ends the file, wherever it stands.
func (s *Scratch) Close() error {
	err := s.File.Close()
	if s.kept {
		os.Remove(s.Name())
	}
	return err
}
