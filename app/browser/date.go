package browser

import (
	"strings"
	"time"

	"elowen/shared/api"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// DateStyle is a way of writing an instant in the person's zone.
type DateStyle string

// The styles, each as an example.
const (
	DayMonth     DateStyle = "14 Nov"
	DayMonthTime DateStyle = "14 Nov, 09:12"
	FullDate     DateStyle = "10 Apr 2027"
	FullTime     DateStyle = "10 Apr 2027, 05:00 CEST"
	Zone         DateStyle = "CET"
	Clock        DateStyle = "09:12"
)

// formats are Intl options and, for outside a browser, Go layouts in UTC.
var formats = map[DateStyle]struct {
	options map[string]any
	layout  string
}{
	DayMonth:     {map[string]any{"day": "numeric", "month": "short"}, "2 Jan"},
	DayMonthTime: {map[string]any{"day": "numeric", "month": "short", "hour": "2-digit", "minute": "2-digit"}, "2 Jan, 15:04"},
	FullDate:     {map[string]any{"day": "numeric", "month": "short", "year": "numeric"}, "2 Jan 2006"},
	FullTime:     {map[string]any{"day": "numeric", "month": "short", "year": "numeric", "hour": "2-digit", "minute": "2-digit", "timeZoneName": "short"}, "2 Jan 2006, 15:04 UTC"},
	Zone:         {map[string]any{"timeZoneName": "short"}, "UTC"},
	Clock:        {map[string]any{"hour": "2-digit", "minute": "2-digit"}, "15:04"},
}

var formatters = map[DateStyle]app.Value{}

// Date writes an instant in a style, in the zone of the device; outside a browser in
// UTC.
func Date(t api.Time, style DateStyle) string {
	f := formats[style]
	if !In {
		return time.UnixMilli(int64(t)).UTC().Format(f.layout)
	}
	formatter, ok := formatters[style]
	if !ok {
		f.options["hourCycle"] = "h23"
		formatter = app.Window().Get("Intl").Get("DateTimeFormat").New("en-GB", f.options)
		formatters[style] = formatter
	}
	date := app.Window().Get("Date").New(float64(t))
	if style == Zone {
		return zoneOf(formatter, date)
	}
	s := formatter.Call("format", date).String()
	// As short as the other months, and as on the axis of the chart.
	return strings.Replace(strings.Replace(s, " at ", ", ", 1), "Sept", "Sep", 1)
}

func zoneOf(formatter, date app.Value) string {
	parts := formatter.Call("formatToParts", date)
	for i := 0; i < parts.Length(); i++ {
		if p := parts.Index(i); p.Get("type").String() == "timeZoneName" {
			return p.Get("value").String()
		}
	}
	return ""
}

// Instant is an instant of the device's clock as a wire time.
func Instant(t time.Time) api.Time { return api.Time(t.UnixMilli()) }
