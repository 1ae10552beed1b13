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

func (l *Log) ledger(ctx context.Context, p record.Partition, actor string) record.Table {
	return record.Table{After: func(id int64) (rows []record.Proposal, err error) {
		err = l.with(ctx, func(ctx context.Context, c *pgx.Conn) error {
			rows, err = proposals(ctx, c, p, actor, id)
			return err
		})
		return rows, fault("reading the table proposal of", l.where, err)
	}}
}

// audited is the ledger to be asked R7 of.
func (l *Log) audited(ctx context.Context, p record.Partition) (*record.Table, error) {
	t := l.ledger(ctx, p, "")
	err := l.with(ctx, func(ctx context.Context, c *pgx.Conn) error {
		return c.QueryRow(ctx, "SELECT coalesce(max(id), 0) FROM proposal WHERE partition = $1", string(p)).Scan(&t.Newest)
	})
	return &t, fault("reading the table proposal of", l.where, err)
}

// rowsOf and rowsBy are a page of the ledger and of one actor's; either ends in the server
// where it ends here.
const (
	rowsOf = `SELECT id, villager, tick, kind, model, digest, settings::text, prompt_sha256, tokens_in, tokens_out,
			grounding, answer, verdict, coalesce(failed, ''), coalesce(reason, '') FROM (
		SELECT *, sum(octet_length(answer)) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING) - octet_length(answer) AS before
		FROM (SELECT * FROM proposal WHERE partition = $1 AND id > $2`
	rowsBy  = ` AND villager = $5`
	rowsEnd = ` ORDER BY id LIMIT $3) rows) page WHERE before <= $4 ORDER BY id`
)

func proposals(ctx context.Context, c *pgx.Conn, p record.Partition, actor string, after int64) ([]record.Proposal, error) {
	text, args := rowsOf+rowsEnd, []any{string(p), after, record.PageRows, record.PageBytes}
	if actor != "" {
		text, args = rowsOf+rowsBy+rowsEnd, append(args, actor)
	}
	rows, err := c.Query(ctx, text, args...)
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

// Current is the newest accepted plan, found from the end of the actor's rows.
func (l *Log) Current(ctx context.Context, p record.Partition, actor string) (*record.Proposal, error) {
	panic("unwritten")
}

// Propose writes the rows in one transaction.
func (l *Log) Propose(ctx context.Context, p record.Partition, rows ...record.Proposal) (int64, error) {
	panic("unwritten")
}
