package law

import "fmt"

// FreshnessOf is the sixth check, over step n: the world has not gone on past what the step
// rests on. It is at most stale ticks since the question, and whoever it names is alive. A
// stale of 0 or less asks no age.
func FreshnessOf(n int, s Step, asked int, r Reading, stale int) Verdict {
	if age := r.Tick - asked; stale > 0 && age > stale {
		return Refused(OnFreshness, fmt.Sprintf("asked at tick %d, and it is tick %d: %d ticks old, and the cap is %d", asked, r.Tick, age, stale))
	}
	if s.Who == 0 {
		return Accepted()
	}
	if _, alive := r.Bodies[s.Who]; !alive {
		return Refused(OnFreshness, fmt.Sprintf("step %d names body %d, which is no longer in the world", n, s.Who))
	}
	return Accepted()
}
