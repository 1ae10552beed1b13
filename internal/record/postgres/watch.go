package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"strconv"

	"github.com/jackc/pgx/v5"

	"torve/internal/record"
)

// channel names where a partition's appends are told. The name of a channel has 63 bytes at
// most, and a partition's may have more.
func channel(p record.Partition) string {
	sum := sha256.Sum256([]byte(p))
	return "torve_" + hex.EncodeToString(sum[:16])
}

// tell queues the word, for whoever watches a partition, where it ends now.
func tell(b *pgx.Batch, p record.Partition) {
	b.Queue("SELECT pg_notify($1, seq::text) FROM partition WHERE partition = $2", channel(p), string(p))
}

// Watch is Read, and then asks again when it is told that something came, and every few
// seconds by itself: a word may be lost, with its connection or without one.
func (l *Log) Watch(ctx context.Context, p record.Partition, from record.Seq) iter.Seq2[record.Event, error] {
	return func(yield func(record.Event, error) bool) {
		e := &ear{log: l, channel: channel(p)}
		defer e.close()
		e.listen(ctx) // before the first page: what comes after that is told
		record.Pages(l.page).Watch(ctx, p, from, e.wait)(func(event record.Event, err error) bool {
			e.seen = event.Seq
			return yield(event, err)
		})
	}
}

// ear is the connection of one watch, on which it is told what comes; nil while there is none.
type ear struct {
	log     *Log
	channel string
	conn    *pgx.Conn
	seen    record.Seq
}

// listen is content without a connection: the next wait tries again.
func (e *ear) listen(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, e.log.poll)
	defer cancel()
	c, err := pgx.ConnectConfig(ctx, e.log.pool.Config().ConnConfig)
	if err != nil {
		return
	}
	e.conn = c
	if _, err := c.Exec(ctx, "LISTEN "+e.channel); err != nil { // a standby, or a pooler between
		e.close()
	}
}

func (e *ear) close() {
	if e.conn != nil {
		ctx, cancel := context.WithTimeout(context.Background(), connecting)
		defer cancel()
		e.conn.Close(ctx) //nolint:errcheck // it only listened
		e.conn = nil
	}
}

// wait returns when there may be more, at the latest when it is time to ask.
func (e *ear) wait(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, e.log.poll)
	defer cancel()
	go func() {
		defer cancel()
		select {
		case <-e.log.done:
		case <-ctx.Done():
		}
	}()
	if e.conn == nil {
		if e.listen(ctx); e.conn != nil {
			return e.log.usable() // what came before it listened was not told
		}
	}
	for e.conn != nil && ctx.Err() == nil {
		n, err := e.conn.WaitForNotification(ctx)
		if err == nil && e.news(n.Payload) {
			return e.log.usable()
		}
		if err != nil && ctx.Err() == nil {
			e.close()
		}
	}
	<-ctx.Done()
	return e.log.usable()
}

// news reports whether a word is of an event that was not seen yet.
func (e *ear) news(payload string) bool {
	seq, err := strconv.ParseInt(payload, 10, 64)
	return err != nil || record.Seq(seq) > e.seen
}
