package render

import (
	"regexp"
	"strings"
)

// element is an opening tag as element writes it, whatever was done to its sign.
var element = regexp.MustCompile(`(?is)(?:<|&lt;|\\u003c)\s*memory\s+id\s*=\s*\\?["']\d+\\?["']\s+(?:kind|importance|category|saved|stale|note)\s*=`)

// frame is the outer frame's opening tag.
var frame = regexp.MustCompile(`(?is)(?:<|&lt;|\\u003c)\s*memories\s+from\s*=\s*\\?["']elowen\\?["']`)

// Framed tells whether a text holds what was rendered here: memories that were recalled
// and would be stored once more.
func Framed(text string) bool {
	return frame.MatchString(text) || element.MatchString(text) || strings.Contains(strings.Join(strings.Fields(text), " "), Warning)
}

// ours is a frame of ours, or what is left of one that was cut.
var ours = regexp.MustCompile(`(?s)<memories from="elowen"[^>]*>.*?(?:</memories>|$)`)

// Without takes the frames of ours out of a text, also one that was cut off.
func Without(text string) string { return ours.ReplaceAllString(text, "") }
