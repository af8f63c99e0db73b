package chat

import (
	"encoding/json"
	"strings"
)

// Image is a picture of a message: where it is, or what it is.
type Image struct {
	URL  string // empty: Data is there
	Type string // the media type of Data
	Data string // in base64
}

// Images are the pictures of a message in OpenAI's form. What can't be read has none.
func Images(raw json.RawMessage) (out []Image) {
	var in struct {
		Content json.RawMessage `json:"content"`
	}
	var parts []struct {
		Type  string `json:"type"`
		Image struct {
			URL string `json:"url"`
		} `json:"image_url"`
	}
	if len(raw) == 0 || json.Unmarshal(raw, &in) != nil || json.Unmarshal(in.Content, &parts) != nil {
		return nil
	}
	for _, p := range parts {
		if p.Type != "image_url" {
			continue
		}
		head, data, inline := strings.Cut(p.Image.URL, ";base64,")
		kind, ok := strings.CutPrefix(head, "data:")
		switch {
		case inline && ok:
			out = append(out, Image{Type: kind, Data: data})
		case strings.HasPrefix(p.Image.URL, "https://"):
			out = append(out, Image{URL: p.Image.URL})
		}
	}
	return out
}
