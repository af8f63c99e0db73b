package site

import "encoding/json"

type manifest struct {
	ID          string     `json:"id"`
	Name        string     `json:"name"`
	ShortName   string     `json:"short_name"`
	Description string     `json:"description"`
	Lang        string     `json:"lang"`
	Dir         string     `json:"dir"`
	StartURL    string     `json:"start_url"`
	Scope       string     `json:"scope"`
	Display     string     `json:"display"`
	Background  string     `json:"background_color"`
	Theme       string     `json:"theme_color"`
	Categories  []string   `json:"categories"`
	Icons       []icon     `json:"icons"`
	Shortcuts   []shortcut `json:"shortcuts"`
	Screenshots []picture  `json:"screenshots"`
}

type icon struct {
	Src     string `json:"src"`
	Sizes   string `json:"sizes"`
	Type    string `json:"type"`
	Purpose string `json:"purpose,omitempty"`
}

type shortcut struct {
	Name  string `json:"name"`
	URL   string `json:"url"`
	Icons []icon `json:"icons"`
}

// picture is a screenshot, as the dialog of an installation shows it.
type picture struct {
	icon
	Form  string `json:"form_factor"` // wide or narrow
	Label string `json:"label"`
}

// manifestJSON is what makes the site installable. All addresses carry the base.
func (s *site) manifestJSON() []byte {
	file := func(name string) string { return s.web(s.design, "icons/"+name) }
	mark := []icon{{file("icon-192.png"), "192x192", "image/png", "any"}}
	m := manifest{
		ID: s.base, Name: "elowen", ShortName: "elowen", Lang: "en", Dir: "ltr",
		Description: "Long-term memory for AI assistants.",
		StartURL:    s.at("memory"), Scope: s.base, Display: "standalone",
		Background: lightGround, Theme: lightGround,
		Categories: []string{"productivity", "utilities"},
		Icons: []icon{
			{file("icon-192.png"), "192x192", "image/png", "any"},
			{file("icon-512.png"), "512x512", "image/png", "any"},
			{file("maskable-192.png"), "192x192", "image/png", "maskable"},
			{file("maskable-512.png"), "512x512", "image/png", "maskable"},
			{file("icon-monochrome.svg"), "any", "image/svg+xml", "monochrome"},
		},
		Shortcuts: []shortcut{
			{"New memory", s.at("memory?new=1"), mark},
			{"Fading soon", s.at("memory?fades=30&sort=evictable"), mark},
			{"Trash", s.at("memory/trash"), mark},
		},
		Screenshots: []picture{
			{icon{s.web(s.design, "screens/wide.webp"), "1280x800", "image/webp", ""}, "wide", "A memory, how it fades, and its history"},
			{icon{s.web(s.design, "screens/narrow.webp"), "780x1688", "image/webp", ""}, "narrow", "The list of memories"},
			{icon{s.web(s.design, "screens/narrow-detail.webp"), "780x1688", "image/webp", ""}, "narrow", "A memory and how it fades"},
		},
	}
	b, err := json.Marshal(m)
	if err != nil {
		panic("site: " + err.Error()) // only strings; can't happen
	}
	return b
}
