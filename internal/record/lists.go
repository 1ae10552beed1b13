package record

// The closed lists that payloads choose from. Each is asked by Validate.
var (
	// Grades of a decision.
	Grades = []string{"LOCKED", "ASSUMED", "OPEN"}
	// Checks are the six questions, in their order.
	Checks = []string{"shape", "verb", "grounding", "law", "reach", "freshness"}
	// Moments at which the gate is asked.
	Moments = []string{"arrival", "due"}
	// Said is what a check may say; - is not asked.
	Said = []string{"yes", "no", "-"}
	// Verdicts of the gate and of a review.
	Verdicts = []string{"accepted", "refused"}
	// Modes in which an attempt starts.
	Modes = []string{"first", "repair", "fresh", "continue"}
	// Ends of an attempt; the first two are the agent's own.
	Ends = []string{
		"done", "halted", "time", "idle", "money", "crashed", "stopped", "quota",
		"unavailable", "infrastructure", "isolation", "interrupted",
	}
	// Releases are why a claim ended.
	Releases = []string{"landed", "ready", "escalated", "interrupted", "died", "waiting", "withdrawn"}
	// Reasons why a task needs a person.
	Reasons = []string{
		"scope", "locked_conflict", "underspecified", "refused", "pack_over_window", "review_closed",
		"exhausted", "base_red", "merge_conflict", "blocker_finding", "push_refused", "killed",
		"agent_unavailable", "isolation_broken", "infrastructure",
	}
	// Answers of a person.
	Answers = []string{"requeued", "abandoned", "landed", "accepted"}
	// RequeueModes are how a requeued task goes on: the kept tree is asked again, an
	// agent continues from it, or an agent starts over.
	RequeueModes = []string{"ask", "continue", "fresh"}
	// Actions an executor may take towards a decision.
	Actions = []string{"upheld", "departed", "decided", "halted"}
	// Prices are where a cost comes from; unknown has no figure.
	Prices = []string{"reported", "estimated", "notional", "unknown"}
)
