package postgres

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"torve/internal/record"
)

// triggers are the guards of R1 as the server tells them; each is asked of everybody, in a
// session of replication too (ENABLE ALWAYS).
var triggers = map[string]string{
	"event_append_only":    "BEFORE DELETE OR UPDATE OR TRUNCATE ON event FOR EACH STATEMENT EXECUTE FUNCTION torve_append_only()",
	"event_next":           "BEFORE INSERT ON event FOR EACH ROW EXECUTE FUNCTION torve_event_next()",
	"event_counted":        "AFTER INSERT ON event DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION torve_event_counted()",
	"event_carries":        "AFTER INSERT ON event DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (new.kind = 'gate.judged'::text) EXECUTE FUNCTION torve_event_carries()",
	"proposal_append_only": "BEFORE DELETE OR UPDATE OR TRUNCATE ON proposal FOR EACH STATEMENT EXECUTE FUNCTION torve_append_only()",
	"proposal_next":        "BEFORE INSERT ON proposal FOR EACH ROW EXECUTE FUNCTION torve_proposal_next()",
	"proposal_carried":     "AFTER INSERT ON proposal DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION torve_proposal_carried()",
	"event_first":          "BEFORE INSERT ON event FOR EACH ROW WHEN (new.seq = 1) EXECUTE FUNCTION torve_event_first()",
	"memory_append_only":   "BEFORE DELETE OR UPDATE OR TRUNCATE ON memory FOR EACH STATEMENT EXECUTE FUNCTION torve_append_only()",
	"memory_next":          "BEFORE INSERT ON memory FOR EACH ROW EXECUTE FUNCTION torve_memory_next()",
	"partition_stays":      "BEFORE DELETE OR TRUNCATE ON partition FOR EACH STATEMENT EXECUTE FUNCTION torve_append_only()",
	"partition_forward":    "BEFORE UPDATE ON partition FOR EACH ROW EXECUTE FUNCTION torve_counter_forward()",
	"partition_true":       "AFTER INSERT OR UPDATE ON partition DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION torve_counter_true()",
}

// placed are the functions that read tables: those beside them, whatever search_path they are
// asked in.
var placed = []string{
	"torve_counter_true", "torve_event_carries", "torve_event_counted", "torve_event_first", "torve_event_next", "torve_memory_next",
	"torve_proposal_carried", "torve_proposal_next",
}

// beside is what guardsOf says of the settings of a function that is placed.
const beside = "SET search_path to its own schema"

// function finds the functions that a migration makes; the newest of a name counts.
var function = regexp.MustCompile(`(?s)CREATE (?:OR REPLACE )?FUNCTION (torve_\w+)\(\).*?AS \$\$(.*?)\$\$`)

// guarded asks that the triggers and their functions are as they were made; what is not is a
// *record.Broken.
func guarded(ctx context.Context, c *pgx.Conn) error {
	have, err := guardsOf(ctx, c)
	if err != nil {
		return err
	}
	want, err := guards()
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if have[name] != want[name] {
			return &record.Broken{Rule: "R1", Why: fmt.Sprintf("the guard %s, which keeps the record append-only, is not as it was made", name)}
		}
	}
	return nil
}

// guards are the triggers and the functions by their names, as text.
func guards() (map[string]string, error) {
	all := map[string]string{}
	for name, does := range triggers {
		all["trigger "+name] = does
	}
	files, err := migrations(made)
	if err != nil {
		return nil, err
	}
	for _, m := range files {
		for _, f := range function.FindAllStringSubmatch(m.text, -1) {
			all["function "+f[1]] = f[2]
			if slices.Contains(placed, f[1]) {
				all["function "+f[1]] += beside
			}
		}
	}
	return all, nil
}

func guardsOf(ctx context.Context, c *pgx.Conn) (map[string]string, error) {
	rows, err := c.Query(ctx, `
		SELECT 'trigger ' || tgname, pg_get_triggerdef(oid, true) FROM pg_trigger
			WHERE tgrelid IN (to_regclass('event'), to_regclass('proposal'), to_regclass('memory'), to_regclass('partition'))
			AND NOT tgisinternal AND tgenabled = 'A'
		UNION ALL SELECT 'function ' || proname, prosrc || CASE
				WHEN proconfig = ARRAY['search_path=' || quote_ident(nspname) || ', pg_temp'] THEN $1
				ELSE coalesce(array_to_string(proconfig, ' '), '') END
			FROM pg_proc JOIN pg_namespace n ON n.oid = pronamespace
			WHERE n.oid = (SELECT relnamespace FROM pg_class WHERE oid = to_regclass('event')) AND proname LIKE 'torve\_%'`, beside)
	if err != nil {
		return nil, err
	}
	have := map[string]string{}
	var name, text string
	_, err = pgx.ForEachRow(rows, []any{&name, &text}, func() error {
		if _, does, is := strings.Cut(text, strings.TrimPrefix(name, "trigger ")+" "); is && strings.HasPrefix(name, "trigger ") {
			text = does
		}
		have[name] = text
		return nil
	})
	return have, err
}
