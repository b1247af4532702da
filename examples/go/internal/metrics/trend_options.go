package metrics

import (
	"encoding/json"
	"regexp"
	"strings"
	"time"

	"example.com/agentpersistence/internal/jsontext"
)

// Bucket is the length of the periods of a trend. Periods are those of UTC.
type Bucket int

const (
	Day Bucket = iota // the default
	Hour
	Week // weeks begin on Monday
	Month
)

var buckets = map[string]Bucket{"day": Day, "hour": Hour, "week": Week, "month": Month}

// start returns the start of the period that a moment lies in.
func (b Bucket) start(at time.Time) string {
	day := time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, time.UTC)
	switch b {
	case Hour:
		return at.Format("2006-01-02T15:00:00")
	case Week:
		day = day.AddDate(0, 0, -(int(day.Weekday())+6)%7)
	case Month:
		day = day.AddDate(0, 0, 1-day.Day())
	}
	return day.Format("2006-01-02")
}

// Trust has the figures of the trust trajectory, from 0 to 1. One that is nil has its default.
type Trust struct {
	Initial *float64 `json:"initial"` // before the first interaction, 0.5 by default
	Gain    *float64 `json:"gain"`    // of a success, 0.05 by default
	Loss    *float64 `json:"loss"`    // of a failure, 0.1 by default
}

// TrendOptions selects the interactions of a trend and its periods. The zero value selects all of them, by day.
type TrendOptions struct {
	Bucket Bucket
	Since  time.Time // the first moment, unless zero
	Until  time.Time // the moment after the last one, unless zero
	Trust  *Trust    // for the trend of a user; nil for the defaults
}

// UnmarshalJSON reads options such as {"bucket": "week", "since": "2025-03-01", "until": "2025-04-01T12:00:00"}. Times are those
// of UTC. All members are optional.
func (o *TrendOptions) UnmarshalJSON(text []byte) error {
	*o = TrendOptions{}
	err := jsontext.Decode(text, map[string]func(json.RawMessage) bool{
		"bucket": jsontext.To(&o.Bucket, func(value json.RawMessage) (Bucket, bool) {
			name, _ := jsontext.String(value)
			bucket, ok := buckets[name]
			return bucket, ok
		}),
		"since": jsontext.To(&o.Since, moment),
		"until": jsontext.To(&o.Until, moment),
		"trust": func(value json.RawMessage) bool {
			o.Trust = &Trust{}
			return o.Trust.UnmarshalJSON(value) == nil
		},
	})
	if err != nil {
		return refused("options", "%v", err)
	}
	return nil
}

// UnmarshalJSON reads figures such as {"initial": 0.5, "gain": 0.05, "loss": 0.1}. All members are optional.
func (t *Trust) UnmarshalJSON(text []byte) error {
	to := func(target **float64) func(json.RawMessage) bool {
		return func(value json.RawMessage) bool {
			number, ok := jsontext.Real(value)
			*target = &number
			return ok
		}
	}
	err := jsontext.Decode(text, map[string]func(json.RawMessage) bool{
		"initial": to(&t.Initial), "gain": to(&t.Gain), "loss": to(&t.Loss),
	})
	if err != nil {
		return refused("trust", "%v", err)
	}
	return nil
}

func moment(value json.RawMessage) (time.Time, bool) {
	text, _ := jsontext.String(value)
	at, ok := parseTime(text)
	return at, ok && !strings.ContainsAny(text[10:], "+-")
}

var timeForm = regexp.MustCompile(`^\d{4}-\d\d-\d\d([T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?)?$`)

// parseTime reads a date or a time, which is one of UTC unless it has another offset.
func parseTime(text string) (time.Time, bool) {
	if !timeForm.MatchString(text) {
		return time.Time{}, false
	}
	form := "2006-01-02T15:04:05Z07:00"
	switch {
	case len(text) == len("2006-01-02"):
		text += "T00:00:00Z"
	case !strings.ContainsAny(text[10:], "Z+-"):
		text += "Z"
	}
	at, err := time.Parse(form, strings.Replace(text, " ", "T", 1))
	return at.UTC(), err == nil
}
