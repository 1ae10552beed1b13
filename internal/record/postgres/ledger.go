package postgres

import (
	"context"
	"encoding/json"
	"iter"

	"github.com/jackc/pgx/v5"

	"torve/internal/record"
)

var _ record.Ledger = (*Log)(nil)

// propose adds a row of the ledger, while the partition is held.
const propose = `INSERT INTO proposal (partition, id, villager, tick, kind, model, digest, settings, prompt_sha256,
		tokens_in, tokens_out, grounding, answer, verdict, failed, reason)
	SELECT $1, coalesce(max(id), 0) + 1, $2, $3::bigint, $4, $5, $6, $7::text::json, $8,
		$9::bigint, $10::bigint, $11::text[], $12::bytea, $13, nullif($14::text, ''), nullif($15::text, '')
	FROM proposal WHERE partition = $1`

// columns are a row's, as propose takes them.
func columns(p record.Partition, r record.Proposal) []any {
	return []any{
		string(p), r.Actor, r.Tick, r.Kind, r.Model, r.Digest, string(r.Settings), r.Prompt, r.TokensIn, r.TokensOut,
		append([]string{}, r.Grounding...), append([]byte{}, r.Answer...), r.Verdict, r.Failed, r.Reason,
	}
}

// Proposals yields the rows a page at a time; between pages nothing is held.
func (l *Log) Proposals(ctx context.Context, p record.Partition, actor string) iter.Seq2[record.Proposal, error] {
	return l.ledger(ctx, p, actor).Rows()
}

func (l *Log) ledger(ctx context.Context, p record.Partition, actor string) record.Table[record.Proposal] {
	return record.Table[record.Proposal]{After: func(id int64) (rows []record.Proposal, err error) {
		err = l.with(ctx, func(ctx context.Context, c *pgx.Conn) error {
			rows, err = proposals(ctx, c, p, actor, id)
			return err
		})
		return rows, fault("reading the table proposal of", l.where, err)
	}}
}

// beside is what R7 is asked of.
func (l *Log) beside(ctx context.Context, p record.Partition) (record.Beside, error) {
	b := record.Beside{Ledger: l.ledger(ctx, p, ""), Memory: l.memory(ctx, p, "")}
	err := l.with(ctx, func(ctx context.Context, c *pgx.Conn) error {
		return c.QueryRow(ctx, "SELECT coalesce(max(id), 0) FROM proposal WHERE partition = $1", string(p)).Scan(&b.Ledger.Newest)
	})
	return b, fault("reading the table proposal of", l.where, err)
}

// rowsOf and rowsBy are a page of the ledger and of one actor's; either ends in the server
// where it ends here. current is one row.
const (
	rowCols = `SELECT id, villager, tick, kind, model, digest, settings::text, prompt_sha256, tokens_in, tokens_out,
			grounding, answer, verdict, coalesce(failed, ''), coalesce(reason, '') FROM `
	rowsOf = rowCols + `(
		SELECT *, sum(octet_length(answer)) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING) - octet_length(answer) AS before
		FROM (SELECT * FROM proposal WHERE partition = $1 AND id > $2`
	rowsBy  = ` AND villager = $5`
	rowsEnd = ` ORDER BY id LIMIT $3) rows) page WHERE before <= $4 ORDER BY id`
	current = rowCols + `proposal WHERE partition = $1 AND villager = $2 AND kind = 'plan' AND verdict = 'accepted'
		ORDER BY id DESC LIMIT 1`
)

func proposals(ctx context.Context, c *pgx.Conn, p record.Partition, actor string, after int64) ([]record.Proposal, error) {
	text, args := rowsOf+rowsEnd, []any{string(p), after, record.PageRows, record.PageBytes}
	if actor != "" {
		text, args = rowsOf+rowsBy+rowsEnd, append(args, actor)
	}
	return proposalsOf(ctx, c, text, args...)
}

func proposalsOf(ctx context.Context, c *pgx.Conn, query string, args ...any) ([]record.Proposal, error) {
	rows, err := c.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (r record.Proposal, err error) {
		var settings string
		err = row.Scan(&r.ID, &r.Actor, &r.Tick, &r.Kind, &r.Model, &r.Digest, &settings, &r.Prompt, &r.TokensIn, &r.TokensOut,
			&r.Grounding, &r.Answer, &r.Verdict, &r.Failed, &r.Reason)
		r.Settings = json.RawMessage(settings)
		return r, err
	})
}

// Current goes back from the end of the actor's rows.
func (l *Log) Current(ctx context.Context, p record.Partition, actor string) (row *record.Proposal, err error) {
	err = l.with(ctx, func(ctx context.Context, c *pgx.Conn) error {
		rows, err := proposalsOf(ctx, c, current, string(p), actor)
		if row = nil; len(rows) > 0 {
			row = &rows[0]
		}
		return err
	})
	return row, fault("reading the table proposal of", l.where, err)
}

// Propose gives the rows their ids where they are written.
func (l *Log) Propose(ctx context.Context, p record.Partition, rows ...record.Proposal) (first int64, err error) {
	if rows, err = record.AdmitRows(rows); err != nil {
		return 0, err
	}
	w := bench{p: p, last: "SELECT coalesce(max(id), 0) FROM proposal WHERE partition = $1", rows: len(rows), put: func(b *pgx.Batch) {
		for _, row := range rows {
			b.Queue(propose, columns(p, row)...)
		}
	}}
	return l.bench(ctx, w)
}
