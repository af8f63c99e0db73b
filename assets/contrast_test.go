package assets

import (
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// colour is one of sRGB, each channel from 0 to 1.
type colour [3]float64

// twins matches a token of two colours, the light theme's and the dark one's.
var twins = regexp.MustCompile(`--([\w-]+): light-dark\(#([0-9a-f]{6}), #([0-9a-f]{6})\)`)

// palette are the opaque colours of the tokens, of one theme: 0 is light, 1 is dark.
func palette(t *testing.T, theme int) map[string]colour {
	t.Helper()
	css, err := files.ReadFile("css/tokens.css")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]colour{}
	for _, m := range twins.FindAllStringSubmatch(string(css), -1) {
		n, err := strconv.ParseUint(m[2+theme], 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		all[m[1]] = colour{float64(n>>16) / 255, float64(n>>8&255) / 255, float64(n&255) / 255}
	}
	if len(all) < 60 {
		t.Fatalf("only %d colours were found; the test reads the tokens wrongly", len(all))
	}
	return all
}

// linear is a channel as light: IEC 61966-2-1.
func linear(c float64) float64 {
	if c <= 0.04045 {
		return c / 12.92
	}
	return math.Pow((c+0.055)/1.055, 2.4)
}

// luminance is the relative luminance of WCAG 2.2.
func luminance(c colour) float64 {
	return 0.2126*linear(c[0]) + 0.7152*linear(c[1]) + 0.0722*linear(c[2])
}

// contrast is the contrast ratio of WCAG 2.2, from 1 to 21.
func contrast(a, b colour) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

// pairs say which colours stand on which grounds, and how far from them they must
// be: 4.5 is text (WCAG 1.4.3), 3 is what one must see to operate or to read a
// drawing (1.4.11), and 7 is what people read all day.
var pairs = []struct {
	ratio   float64
	colours string
	grounds string
}{
	{7, "ink", "bg surface raised sunken hover selected accent-soft flower-soft danger-soft warn-soft info-soft add-soft del-soft"},
	{4.5, "ink-2", "bg surface raised sunken hover selected accent-soft flower-soft danger-soft warn-soft info-soft"},
	{4.5, "ink-3", "bg surface raised sunken hover selected accent-soft"},
	{4.5, "accent accent-hover", "bg surface raised sunken hover selected"},
	{4.5, "on-accent", "accent accent-hover"},
	{4.5, "accent-ink", "accent-soft surface selected"},
	{4.5, "flower", "bg surface raised hover selected"},
	{4.5, "flower-ink", "flower-soft surface"},
	{4.5, "danger", "bg surface raised hover"},
	{4.5, "warn info", "bg surface raised"},
	{4.5, "danger-ink", "danger-soft"},
	{4.5, "warn-ink", "warn-soft bg surface hover selected"},
	{4.5, "info-ink", "info-soft"},
	{4.5, "add-ink", "add-soft"},
	{4.5, "del-ink", "del-soft"},
	{4.5, "on-danger", "danger"},
	{4.5, "cat-1 cat-2 cat-3 cat-4 cat-5 cat-6 cat-7 cat-8 cat-9 cat-10", "bg surface raised hover selected"},
	{4.5, "chart-axis chart-floor", "bg surface raised"},
	{3, "line-strong", "bg surface raised hover"},
	{3, "accent", "info-soft warn-soft"}, // the ring of the focus
	{3, "vit-0 vit-10 vit-20 vit-30 vit-40 vit-50 vit-60 vit-70 vit-80 vit-90 vit-100", "bg surface raised hover selected"},
	{3, "imp-1 imp-2 imp-3 imp-4 imp-5 imp-6 imp-7 imp-8 imp-9 imp-10", "bg surface raised"},
	{3, "chart-line chart-forecast chart-recall", "bg surface raised"},
}

func TestContrast(t *testing.T) {
	for theme, name := range []string{"light", "dark"} {
		have := palette(t, theme)
		checked := 0
		for _, p := range pairs {
			for _, over := range strings.Fields(p.colours) {
				for _, ground := range strings.Fields(p.grounds) {
					a, known := have[over]
					b, also := have[ground]
					if !known || !also {
						t.Errorf("%s: no token %s or %s", name, over, ground)
						continue
					}
					checked++
					if got := contrast(a, b); got < p.ratio {
						t.Errorf("%s: %s on %s is %.2f, not %.1f", name, over, ground, got, p.ratio)
					}
				}
			}
		}
		t.Logf("%s: %d pairs", name, checked)
	}
}

// The anchors of the formula: black on white is 21, and a grey of WCAG's own pages.
func TestContrastOfKnownColours(t *testing.T) {
	black, white, grey := colour{}, colour{1, 1, 1}, colour{0x76 / 255., 0x76 / 255., 0x76 / 255.}
	if got := contrast(black, white); math.Abs(got-21) > 1e-9 {
		t.Errorf("black on white is %v", got)
	}
	if got := contrast(white, grey); got < 4.54 || got > 4.55 {
		t.Errorf("#767676 on white is %v", got)
	}
}

// The more alive, the further from the ground, step by step, in both themes.
func TestTheVitalityRampIsMonotone(t *testing.T) {
	for theme, name := range []string{"light", "dark"} {
		have := palette(t, theme)
		ground := have["surface"]
		for n := 10; n <= 100; n += 10 {
			less, more := have["vit-"+strconv.Itoa(n-10)], have["vit-"+strconv.Itoa(n)]
			if contrast(more, ground) <= contrast(less, ground) {
				t.Errorf("%s: %d is not further from the ground than %d", name, n, n-10)
			}
		}
	}
}
