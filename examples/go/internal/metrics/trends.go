package metrics

import (
	"fmt"
	"math"
	"sort"
	"time"

	"example.com/agentpersistence/internal/ids"
)

// Period has the statistics of one period. Periods without interactions are left out.
type Period struct {
	Period            string  `json:"period"` // its start in UTC: 2025-03-09T14:00:00 for an hour, else a date
	TotalOperations   int64   `json:"total_operations"`
	SuccessRate       float64 `json:"success_rate"`         // from 0 to 1
	AvgResponseTimeMS float64 `json:"avg_response_time_ms"` // of the interactions that have a response time
	LevelCounts
	Trust *float64 `json:"trust,omitempty"` // at the end of the period, from 0 to 1; nil in a global trend

	successes, timed int64
	totalTime        float64
}

// UserTrend returns the statistics of each period of a user, in order of time. The trust at the end of a period follows from all
// interactions up to there, in the order of their ids, also from those before options.Since. Interactions whose timestamp is
// not a time belong to no period.
func (c *Collector) UserTrend(userID string, options TrendOptions) ([]*Period, error) {
	if err := ids.Check("user_id", userID); err != nil {
		return nil, err
	}
	figures, err := options.Trust.figures()
	if err != nil {
		return nil, err
	}
	events, err := c.events(options, "WHERE user_id = ?", userID)
	if err != nil {
		return nil, err
	}
	periods := periodsOf(events, options.Since)
	trust := figures.trajectory(events)
	for _, period := range periods {
		value := trust[period.Period]
		period.Trust = &value
	}
	return periods, nil
}

// GlobalTrend returns the statistics of each period over all users, in order of time. They have no trust.
func (c *Collector) GlobalTrend(options TrendOptions) ([]*Period, error) {
	if options.Trust != nil {
		return nil, refused("trust", "a trend over all users has none")
	}
	events, err := c.events(options, "")
	if err != nil {
		return nil, err
	}
	return periodsOf(events, options.Since), nil
}

// event is an interaction in a period.
type event struct {
	at           time.Time
	period       string
	level        int
	success      bool
	responseTime *float64
}

// events returns the interactions before Until in the order of their ids.
func (c *Collector) events(options TrendOptions, where string, args ...any) ([]event, error) {
	rows, err := c.db.Query(fmt.Sprintf("SELECT +timestamp, %s, success <> 0, response_time_ms FROM interactions %s ORDER BY id",
		c.level, where), args...)
	if err != nil {
		return nil, c.explain(err)
	}
	defer rows.Close()
	var events []event
	for rows.Next() {
		var e event
		var timestamp *string
		if err := rows.Scan(&timestamp, &e.level, &e.success, &e.responseTime); err != nil {
			return nil, c.unreadable(err)
		}
		if timestamp == nil {
			continue
		}
		at, ok := parseTime(*timestamp)
		if !ok || !options.Until.IsZero() && !at.Before(options.Until) {
			continue
		}
		e.at, e.period = at, options.Bucket.start(at)
		events = append(events, e)
	}
	return events, c.explain(rows.Err())
}

// periodsOf returns the statistics of the periods from a moment on, in order of time.
func periodsOf(events []event, since time.Time) []*Period {
	byName := map[string]*Period{}
	list := []*Period{}
	for _, e := range events {
		if e.at.Before(since) {
			continue
		}
		period := byName[e.period]
		if period == nil {
			period = &Period{Period: e.period}
			byName[e.period] = period
			list = append(list, period)
		}
		period.add(e.level, e.success, e.responseTime)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Period < list[j].Period })
	return list
}

// figures of the trust trajectory.
type figures struct{ initial, gain, loss float64 }

func (t *Trust) figures() (f figures, err error) {
	f = figures{0.5, 0.05, 0.1}
	if t == nil {
		return f, nil
	}
	for figure, given := range map[*float64]*float64{&f.initial: t.Initial, &f.gain: t.Gain, &f.loss: t.Loss} {
		if given == nil {
			continue
		}
		if !(*given >= 0 && *given <= 1) {
			return f, refused("trust", "expected numbers from 0 to 1, found %v", *given)
		}
		*figure = *given
	}
	return f, nil
}

// after returns the trust after an interaction.
func (f figures) after(trust float64, success bool) float64 {
	if success {
		return math.Min(1, trust+f.gain)
	}
	return math.Max(0, trust-f.loss)
}

// trajectory returns the trust at the end of each period. Usually the interactions of a period have greater ids than those of
// earlier ones; if not, the trust is computed from the first one again.
func (f figures) trajectory(events []event) map[string]float64 {
	byPeriod := map[string][]int{}
	var names []string
	for i, e := range events {
		if byPeriod[e.period] == nil {
			names = append(names, e.period)
		}
		byPeriod[e.period] = append(byPeriod[e.period], i)
	}
	sort.Strings(names)
	trust := make(map[string]float64, len(names))
	current := f.initial
	var done []int
	for _, name := range names {
		next := byPeriod[name]
		if len(done) > 0 && next[0] < done[len(done)-1] {
			next = append(done, next...)
			sort.Ints(next)
			current, done = f.initial, nil
		}
		for _, i := range next {
			current = f.after(current, events[i].success)
		}
		done = append(done, next...)
		trust[name] = current
	}
	return trust
}

func (p *Period) add(level int, success bool, responseTime *float64) {
	p.TotalOperations++
	if success {
		p.successes++
	}
	p.SuccessRate = float64(p.successes) / float64(p.TotalOperations)
	if responseTime != nil {
		p.timed++
		p.totalTime += *responseTime
		p.AvgResponseTimeMS = p.totalTime / float64(p.timed)
	}
	counts := [...]*int64{&p.Level1, &p.Level2, &p.Level3, &p.Level4, &p.Level5}
	if level >= 1 && level <= len(counts) {
		*counts[level-1]++
	}
}
