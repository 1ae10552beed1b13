package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"iter"

	"torve/internal/record"
)

// The ledger: the rows that events carry, so that people read them with SQL. Without a rowid
// there is none that a REPLACE could name.
const ledger = `
CREATE TABLE proposal (
	partition TEXT NOT NULL,
	id INTEGER NOT NULL,
	villager TEXT NOT NULL,
	tick INTEGER NOT NULL,
	kind TEXT NOT NULL CHECK (kind IN ('plan', 'step')),
	model TEXT NOT NULL,
	digest TEXT NOT NULL,
	settings TEXT NOT NULL,
	prompt_sha256 TEXT NOT NULL,
	tokens_in INTEGER,
	tokens_out INTEGER,
	grounding TEXT NOT NULL,
	answer BLOB NOT NULL,
	verdict TEXT NOT NULL CHECK (verdict IN ('accepted', 'refused')),
	failed TEXT,
	reason TEXT,
	PRIMARY KEY (partition, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX proposal_villager ON proposal (partition, villager, id);
`

// ledgerGuards are its triggers, by name.
var ledgerGuards = map[string]string{
	"proposal_no_update": `CREATE TRIGGER proposal_no_update BEFORE UPDATE ON proposal
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only (R1)'); END`,
	"proposal_no_delete": `CREATE TRIGGER proposal_no_delete BEFORE DELETE ON proposal
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only (R1)'); END`,
	"proposal_next": `CREATE TRIGGER proposal_next BEFORE INSERT ON proposal
WHEN NEW.id <> (SELECT coalesce(max(id), 0) + 1 FROM proposal WHERE partition = NEW.partition)
BEGIN SELECT RAISE(ABORT, 'the ledger grows at its end alone (R1)'); END`,
}

const propose = `INSERT INTO proposal (partition, id, villager, tick, kind, model, digest, settings, prompt_sha256,
		tokens_in, tokens_out, grounding, answer, verdict, failed, reason)
	SELECT ?1, coalesce(max(id), 0) + 1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, nullif(?14, ''), nullif(?15, '')
	FROM proposal WHERE partition = ?1`

var _ record.Ledger = (*Log)(nil)

// makeLedger makes the table, with the rows of the events that are there already.
func makeLedger(ctx context.Context, c *sql.Conn) error {
	if err := execute(ctx, c, ledger, ledgerGuards); err != nil {
		return err
	}
	events, err := carriers(ctx, c)
	if err != nil {
		return err
	}
	for _, e := range events {
		row, err := record.ProposalOf(e)
		if err != nil || row == nil {
			continue // an event that does not decode is R6's to name, and carries nothing
		}
		if _, err := c.ExecContext(ctx, propose, columns(e.Partition, *row)...); err != nil {
			return err
		}
	}
	return nil
}

// carriers are the events that may carry a row, found without decoding the others.
func carriers(ctx context.Context, c *sql.Conn) ([]record.Event, error) {
	rows, err := c.QueryContext(ctx, `SELECT partition, seq, body FROM event
		WHERE kind = ? AND instr(body, CAST('"row":' AS BLOB)) ORDER BY partition, seq`, string(record.KindJudged))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []record.Event
	for rows.Next() {
		var p record.Partition
		var seq record.Seq
		var body []byte
		if err := rows.Scan(&p, &seq, &body); err != nil {
			return nil, err
		}
		if e, err := record.ParseBody(body); err == nil {
			e.Partition, e.Seq = p, seq
			all = append(all, e)
		}
	}
	return all, rows.Err()
}

// columns are a row's, as propose takes them.
func columns(p record.Partition, r record.Proposal) []any {
	grounding, _ := json.Marshal(append([]string{}, r.Grounding...)) // texts always encode
	return []any{
		string(p), r.Actor, r.Tick, r.Kind, r.Model, r.Digest, string(r.Settings), r.Prompt,
		r.TokensIn, r.TokensOut, string(grounding), append([]byte{}, r.Answer...), r.Verdict, r.Failed, r.Reason,
	}
}

// Proposals yields the rows a page at a time; between pages nothing is held.
func (l *Log) Proposals(ctx context.Context, p record.Partition, actor string) iter.Seq2[record.Proposal, error] {
	return l.ledger(ctx, p, actor).Rows()
}

func (l *Log) ledger(ctx context.Context, p record.Partition, actor string) record.Table[record.Proposal] {
	return record.Table[record.Proposal]{After: func(id int64) (rows []record.Proposal, err error) {
		if err := l.usable(); err != nil {
			return nil, err
		}
		err = l.rows.query(ctx, func(db *sql.DB) error {
			rows, err = proposals(ctx, db, p, actor, id)
			return err
		})
		return rows, fault("reading the table proposal of", l.path, err)
	}}
}

// beside is what R7 is asked of.
func (l *Log) beside(ctx context.Context, p record.Partition) (record.Beside, error) {
	b := record.Beside{Ledger: l.ledger(ctx, p, ""), Memory: l.memory(ctx, p, "")}
	err := l.rows.query(ctx, func(db *sql.DB) error {
		there, err := has(ctx, db, "proposal")
		if err != nil || !there {
			return err
		}
		return db.QueryRowContext(ctx, "SELECT coalesce(max(id), 0) FROM proposal WHERE partition = ?", string(p)).Scan(&b.Ledger.Newest)
	})
	return b, fault("reading the table proposal of", l.path, err)
}

// has reports whether the file has a table: an older one has not.
func has(ctx context.Context, a asker, table string) (bool, error) {
	var tables int
	err := a.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?", table).Scan(&tables)
	return tables == 1, err
}

// rowsOf begins what reads rows of the ledger.
const rowsOf = `SELECT id, villager, tick, kind, model, digest, settings, prompt_sha256,
		tokens_in, tokens_out, grounding, answer, verdict, coalesce(failed, ''), coalesce(reason, '') FROM `

func proposals(ctx context.Context, db *sql.DB, p record.Partition, actor string, after int64) ([]record.Proposal, error) {
	from, args := "proposal WHERE partition = ?1", []any{string(p), after, record.PageRows}
	if actor != "" {
		from, args = "proposal INDEXED BY proposal_villager WHERE partition = ?1 AND villager = ?4", append(args, actor)
	}
	return proposalsOf(ctx, db, rowsOf+from+` AND id > ?2 ORDER BY id LIMIT ?3`, args...)
}

// proposalsOf are the rows that a query gives, up to those that make a page.
func proposalsOf(ctx context.Context, db *sql.DB, query string, args ...any) ([]record.Proposal, error) {
	if there, err := has(ctx, db, "proposal"); err != nil || !there {
		return nil, err
	}
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []record.Proposal
	for size := 0; rows.Next() && size <= record.PageBytes; {
		r, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
		size += len(r.Answer) + len(r.Settings)
	}
	return all, rows.Err()
}

func scan(rows *sql.Rows) (record.Proposal, error) {
	var r record.Proposal
	var settings, grounding string
	err := rows.Scan(&r.ID, &r.Actor, &r.Tick, &r.Kind, &r.Model, &r.Digest, &settings, &r.Prompt,
		&r.TokensIn, &r.TokensOut, &grounding, &r.Answer, &r.Verdict, &r.Failed, &r.Reason)
	if err != nil {
		return r, err
	}
	r.Settings = json.RawMessage(settings)
	if err := json.Unmarshal([]byte(grounding), &r.Grounding); err != nil {
		return r, &record.Broken{Rule: "R7", Why: fmt.Sprintf("row %d of the table proposal: its grounding is no list: %v", r.ID, err)}
	}
	return r, nil
}

const current = rowsOf + `proposal INDEXED BY proposal_villager WHERE partition = ?1 AND villager = ?2
	AND kind = 'plan' AND verdict = 'accepted' ORDER BY id DESC LIMIT 1`

// Current goes back from the end of the actor's rows.
func (l *Log) Current(ctx context.Context, p record.Partition, actor string) (*record.Proposal, error) {
	if err := l.usable(); err != nil {
		return nil, err
	}
	var rows []record.Proposal
	err := l.rows.query(ctx, func(db *sql.DB) (err error) {
		rows, err = proposalsOf(ctx, db, current, string(p), actor)
		return err
	})
	if err != nil || len(rows) == 0 {
		return nil, fault("reading the table proposal of", l.path, err)
	}
	return &rows[0], nil
}

// Propose gives the rows their ids where they are written.
func (l *Log) Propose(ctx context.Context, p record.Partition, rows ...record.Proposal) (first int64, err error) {
	if rows, err = record.AdmitRows(rows); err != nil {
		return 0, err
	}
	err = l.bench(ctx, p, len(rows), func(w *writer) error {
		err := w.conn.QueryRowContext(context.Background(), "SELECT coalesce(max(id), 0) + 1 FROM proposal WHERE partition = ?", string(p)).Scan(&first)
		for i := 0; err == nil && i < len(rows); i++ {
			_, err = w.propose.Exec(columns(p, rows[i])...)
		}
		return err
	})
	return first, err
}
