-- The tables of the record. No schema is named: they are made in the first one of search_path.
-- What people read in psql (\d+ event) stands in the comments at the end.

CREATE TABLE torve_migration (
	version integer NOT NULL PRIMARY KEY,
	name text NOT NULL,
	sha256 text NOT NULL,
	at timestamptz NOT NULL DEFAULT now()
);

-- Keys compare as bytes: no index depends on the collations of the system below.

CREATE TABLE event (
	partition text COLLATE "C" NOT NULL,
	seq bigint NOT NULL,
	id text COLLATE "C" NOT NULL,
	kind text COLLATE "C" NOT NULL,
	task text COLLATE "C" NOT NULL,
	claim text COLLATE "C" NOT NULL,
	body bytea NOT NULL,
	prev text COLLATE "C" NOT NULL,
	hash text COLLATE "C" NOT NULL,
	CONSTRAINT event_seq PRIMARY KEY (partition, seq),
	CONSTRAINT event_id UNIQUE (partition, id)
);
CREATE INDEX event_task ON event (partition, task, seq) WHERE task <> '';
CREATE INDEX event_moves ON event (partition, seq)
	WHERE kind IN ('task.claimed', 'task.released', 'task.minted', 'task.reminted', 'task.withdrawn');
CREATE INDEX event_claim ON event (partition, task, seq) WHERE kind IN ('task.claimed', 'task.released');

-- One row a partition. It is updated at each append: room is left for that in its page.
CREATE TABLE partition (
	partition text COLLATE "C" NOT NULL PRIMARY KEY,
	seq bigint NOT NULL DEFAULT 0,
	prev text COLLATE "C" NOT NULL DEFAULT '',
	hash text COLLATE "C" NOT NULL DEFAULT ''
) WITH (fillfactor = 50);

CREATE TABLE proposal (
	partition text COLLATE "C" NOT NULL,
	id bigint NOT NULL,
	villager text COLLATE "C" NOT NULL,
	tick bigint NOT NULL,
	kind text COLLATE "C" NOT NULL CHECK (kind IN ('plan', 'step')),
	model text NOT NULL,
	digest text NOT NULL,
	settings json NOT NULL,
	prompt_sha256 text NOT NULL,
	tokens_in bigint,
	tokens_out bigint,
	grounding text[] NOT NULL,
	answer bytea NOT NULL,
	verdict text NOT NULL CHECK (verdict IN ('accepted', 'refused')),
	failed text,
	reason text,
	PRIMARY KEY (partition, id)
);
CREATE INDEX proposal_villager ON proposal (partition, villager, id);

CREATE TABLE snapshot (
	partition text COLLATE "C" NOT NULL,
	name text COLLATE "C" NOT NULL,
	form text NOT NULL,
	seq bigint NOT NULL,
	hash text NOT NULL,
	PRIMARY KEY (partition, name)
);
CREATE TABLE snapshot_part (
	partition text COLLATE "C" NOT NULL,
	name text COLLATE "C" NOT NULL,
	part text COLLATE "C" NOT NULL,
	sum text NOT NULL,
	body bytea NOT NULL,
	PRIMARY KEY (partition, name, part)
);

CREATE TABLE lease (
	partition text COLLATE "C" NOT NULL,
	claim text COLLATE "C" NOT NULL,
	holder text NOT NULL,
	renewed timestamptz NOT NULL DEFAULT clock_timestamp(),
	ends timestamptz NOT NULL,
	PRIMARY KEY (partition, claim)
) WITH (fillfactor = 50);

-- The guards. They are asked of everybody, the tables' owner and a replica's session too
-- (ENABLE ALWAYS); only who may alter the tables can take them away, and then Check names them.

CREATE FUNCTION torve_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'the record is append-only (R1): % of % is refused', TG_OP, TG_TABLE_NAME
		USING ERRCODE = 'restrict_violation';
END $$;

-- An event is the next of its partition, follows the one before it, and its hash is its own.
CREATE FUNCTION torve_event_next() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	last_seq bigint;
	last_hash text;
BEGIN
	SELECT seq, hash INTO last_seq, last_hash FROM event
		WHERE partition = NEW.partition ORDER BY seq DESC LIMIT 1;
	IF NEW.seq <> coalesce(last_seq, 0) + 1 THEN
		RAISE EXCEPTION 'the record grows at its end alone (R1, R2): event % of % does not follow event %',
			NEW.seq, NEW.partition, coalesce(last_seq, 0) USING ERRCODE = 'restrict_violation';
	END IF;
	IF NEW.prev <> coalesce(last_hash, '')
		OR NEW.hash <> encode(sha256(decode(NEW.prev, 'hex') || int8send(NEW.seq) || NEW.body), 'hex') THEN
		RAISE EXCEPTION 'event % of % is not in the chain (R3)', NEW.seq, NEW.partition
			USING ERRCODE = 'restrict_violation';
	END IF;
	RETURN NEW;
END $$;

CREATE FUNCTION torve_proposal_next() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	last_id bigint;
BEGIN
	SELECT id INTO last_id FROM proposal WHERE partition = NEW.partition ORDER BY id DESC LIMIT 1;
	IF NEW.id <> coalesce(last_id, 0) + 1 THEN
		RAISE EXCEPTION 'the ledger grows at its end alone (R1): row % of % does not follow row %',
			NEW.id, NEW.partition, coalesce(last_id, 0) USING ERRCODE = 'restrict_violation';
	END IF;
	RETURN NEW;
END $$;

CREATE FUNCTION torve_counter_forward() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF NEW.partition <> OLD.partition OR NEW.seq < OLD.seq THEN
		RAISE EXCEPTION 'the counter of % never goes back (R2): from % to % is refused',
			OLD.partition, OLD.seq, NEW.seq USING ERRCODE = 'restrict_violation';
	END IF;
	RETURN NEW;
END $$;

-- Asked at the commit: a counter moved without its event would let nothing be appended any more.
CREATE FUNCTION torve_counter_true() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF NEW.seq = 0 AND NEW.prev = '' AND NEW.hash = '' THEN
		RETURN NULL;
	END IF;
	IF NOT EXISTS (
		SELECT 1 FROM event WHERE partition = NEW.partition AND seq = NEW.seq AND hash = NEW.hash AND prev = NEW.prev) THEN
		RAISE EXCEPTION 'the counter of % says event % (R2), and there is none with its hash', NEW.partition, NEW.seq
			USING ERRCODE = 'restrict_violation';
	END IF;
	RETURN NULL;
END $$;

-- Asked at the commit too, and for the same reason: an event that its counter does not know.
CREATE FUNCTION torve_event_counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF NOT EXISTS (SELECT 1 FROM partition WHERE partition = NEW.partition AND seq >= NEW.seq) THEN
		RAISE EXCEPTION 'event % of % is more than the counter says (R2)', NEW.seq, NEW.partition
			USING ERRCODE = 'restrict_violation';
	END IF;
	RETURN NULL;
END $$;

-- Asked at the commit: as many rows of the ledger were added as the events that were added
-- with them carry (R7). A row before the first event of its partition is nobody's. What was
-- written behind a savepoint has another xmin, and is not found among what was added.
CREATE FUNCTION torve_proposal_carried() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	mine xid := pg_current_xact_id()::xid;
	at bigint;
	added bigint := 0;
	carries boolean;
BEGIN
	SELECT max(seq) INTO at FROM event WHERE partition = NEW.partition;
	IF at IS NULL OR (SELECT count(*) = 2 FROM proposal WHERE partition = NEW.partition AND id IN (NEW.id, NEW.id + 1) AND xmin = mine) THEN
		RETURN NULL; -- the last of them asks for all
	END IF;
	LOOP
		SELECT kind = 'gate.judged' AND position('"row":{'::bytea IN body) > 0 INTO carries
			FROM event WHERE partition = NEW.partition AND seq = at AND xmin = mine;
		EXIT WHEN NOT FOUND;
		at := at - 1;
		added := added + carries::int;
	END LOOP;
	at := NEW.id;
	WHILE EXISTS (SELECT 1 FROM proposal WHERE partition = NEW.partition AND id = at AND xmin = mine) LOOP
		at := at - 1;
		added := added - 1;
	END LOOP;
	IF added <> 0 OR at = NEW.id THEN
		RAISE EXCEPTION 'row % of the ledger of % is carried by no event of kind gate.judged that was added with it (R7)',
			NEW.id, NEW.partition USING ERRCODE = 'restrict_violation';
	END IF;
	RETURN NULL;
END $$;

-- And the other way about: an event that carries a row was added with rows.
CREATE FUNCTION torve_event_carries() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	mine xid := pg_current_xact_id()::xid;
BEGIN
	IF position('"row":{'::bytea IN NEW.body) > 0 AND NOT (
		EXISTS (SELECT 1 FROM event WHERE partition = NEW.partition AND seq = NEW.seq AND xmin = mine)
		AND coalesce((SELECT xmin = mine FROM proposal WHERE partition = NEW.partition ORDER BY id DESC LIMIT 1), false)) THEN
		RAISE EXCEPTION 'event % of % carries a row of the ledger (R7), and none was added with it',
			NEW.seq, NEW.partition USING ERRCODE = 'restrict_violation';
	END IF;
	RETURN NULL;
END $$;

CREATE TRIGGER event_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON event
	FOR EACH STATEMENT EXECUTE FUNCTION torve_append_only();
CREATE TRIGGER event_next BEFORE INSERT ON event
	FOR EACH ROW EXECUTE FUNCTION torve_event_next();
CREATE CONSTRAINT TRIGGER event_counted AFTER INSERT ON event
	DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION torve_event_counted();
CREATE CONSTRAINT TRIGGER event_carries AFTER INSERT ON event
	DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.kind = 'gate.judged') EXECUTE FUNCTION torve_event_carries();
CREATE TRIGGER proposal_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON proposal
	FOR EACH STATEMENT EXECUTE FUNCTION torve_append_only();
CREATE TRIGGER proposal_next BEFORE INSERT ON proposal
	FOR EACH ROW EXECUTE FUNCTION torve_proposal_next();
CREATE CONSTRAINT TRIGGER proposal_carried AFTER INSERT ON proposal
	DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION torve_proposal_carried();
CREATE TRIGGER partition_stays BEFORE DELETE OR TRUNCATE ON partition
	FOR EACH STATEMENT EXECUTE FUNCTION torve_append_only();
CREATE TRIGGER partition_forward BEFORE UPDATE ON partition
	FOR EACH ROW EXECUTE FUNCTION torve_counter_forward();
CREATE CONSTRAINT TRIGGER partition_true AFTER INSERT OR UPDATE ON partition
	DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION torve_counter_true();

ALTER TABLE event ENABLE ALWAYS TRIGGER event_append_only;
ALTER TABLE event ENABLE ALWAYS TRIGGER event_next;
ALTER TABLE event ENABLE ALWAYS TRIGGER event_counted;
ALTER TABLE event ENABLE ALWAYS TRIGGER event_carries;
ALTER TABLE proposal ENABLE ALWAYS TRIGGER proposal_append_only;
ALTER TABLE proposal ENABLE ALWAYS TRIGGER proposal_next;
ALTER TABLE proposal ENABLE ALWAYS TRIGGER proposal_carried;
ALTER TABLE partition ENABLE ALWAYS TRIGGER partition_stays;
ALTER TABLE partition ENABLE ALWAYS TRIGGER partition_forward;
ALTER TABLE partition ENABLE ALWAYS TRIGGER partition_true;

-- The guards read the tables beside them, whatever search_path (or a temporary table of the
-- same name) the session has that they are asked in.
DO $$
DECLARE
	guard text;
BEGIN
	FOREACH guard IN ARRAY ARRAY['torve_event_next', 'torve_event_counted', 'torve_event_carries',
		'torve_proposal_next', 'torve_proposal_carried', 'torve_counter_true'] LOOP
		EXECUTE format('ALTER FUNCTION %I() SET search_path = %I, pg_temp', guard, current_schema());
	END LOOP;
END $$;

COMMENT ON TABLE torve_migration IS 'Which versions of these tables were made here, and when. torve refuses a version that it does not know.';
COMMENT ON COLUMN torve_migration.version IS 'from 1, without a gap';
COMMENT ON COLUMN torve_migration.name IS 'the file of the migration';
COMMENT ON COLUMN torve_migration.sha256 IS 'of that file, in hex: a file that was changed afterwards is noticed';
COMMENT ON COLUMN torve_migration.at IS 'when it was applied, by the clock of the database';

COMMENT ON TABLE event IS 'The record: what happened, one row a fact, only ever added at the end of its partition. Read it: SELECT seq, kind, task, convert_from(body, ''UTF8'')::json FROM event ORDER BY partition, seq';
COMMENT ON COLUMN event.partition IS 'the repository whose log this is';
COMMENT ON COLUMN event.seq IS 'place in the partition: from 1, without a gap; the only order there is';
COMMENT ON COLUMN event.id IS 'made by the writer, unique in the partition: a retry adds nothing';
COMMENT ON COLUMN event.kind IS 'what it says: task.minted, attempt.finished, ...; the same stands in the body';
COMMENT ON COLUMN event.task IS 'the task that it is about, or empty; the same stands in the body';
COMMENT ON COLUMN event.claim IS 'the claim under which it was written, or empty; the same stands in the body';
COMMENT ON COLUMN event.body IS 'the fact: one line of JSON in UTF-8, kept as the bytes that its writer gave';
COMMENT ON COLUMN event.prev IS 'the hash of the event before it; empty for the first';
COMMENT ON COLUMN event.hash IS 'SHA-256 of prev (its 32 bytes), seq (8 bytes, big endian) and body, in hex';

COMMENT ON TABLE partition IS 'The end of each partition: one row, moved by the statement that adds an event. Who appends holds it, so that seqs have no gap.';
COMMENT ON COLUMN partition.partition IS 'the repository';
COMMENT ON COLUMN partition.seq IS 'of its last event; 0 before the first';
COMMENT ON COLUMN partition.prev IS 'the prev of its last event';
COMMENT ON COLUMN partition.hash IS 'the hash of its last event; the next one takes it as its prev';

COMMENT ON TABLE proposal IS 'The ledger: what was proposed, by which model as it was asked, and what the checks said. One row an arrival (plan), one a part refused when due (step); never changed. Each is carried by an event of kind gate.judged.';
COMMENT ON COLUMN proposal.partition IS 'the repository';
COMMENT ON COLUMN proposal.id IS 'from 1 in its partition, without a gap';
COMMENT ON COLUMN proposal.villager IS 'who proposed: a villager''s name, or a task''s id';
COMMENT ON COLUMN proposal.tick IS 'of the world; of code, how many commits the line of the target had';
COMMENT ON COLUMN proposal.kind IS 'plan: it was asked when it arrived; step: a part of it, asked when it was due';
COMMENT ON COLUMN proposal.model IS 'the model, or the agent''s adapter and model';
COMMENT ON COLUMN proposal.digest IS 'of the model; of an agent its version; empty: unknown';
COMMENT ON COLUMN proposal.settings IS 'how the model was asked, as it was written (json, not jsonb: nothing of it is changed)';
COMMENT ON COLUMN proposal.prompt_sha256 IS 'of the prompt, in hex; empty: there was none';
COMMENT ON COLUMN proposal.tokens_in IS 'tokens read; NULL: unknown';
COMMENT ON COLUMN proposal.tokens_out IS 'tokens written; NULL: unknown';
COMMENT ON COLUMN proposal.grounding IS 'ids of what it could know; of code, the tree of its base';
COMMENT ON COLUMN proposal.answer IS 'the model''s bytes, whatever they are; of code, the id of the tree';
COMMENT ON COLUMN proposal.verdict IS 'accepted or refused';
COMMENT ON COLUMN proposal.failed IS 'the check that said no; of an accepted one, none';
COMMENT ON COLUMN proposal.reason IS 'what that check said; of an accepted one, none';

COMMENT ON TABLE snapshot IS 'What was computed of a partition''s events up to one of them, to read the rest alone. Nothing is true because it stands here; it may be emptied at any time.';
COMMENT ON COLUMN snapshot.form IS 'of the code that wrote it; no other reads it';
COMMENT ON COLUMN snapshot.seq IS 'the last event that it holds';
COMMENT ON COLUMN snapshot.hash IS 'that event''s hash: a snapshot whose hash is another is not read';
COMMENT ON TABLE snapshot_part IS 'The parts of the snapshots.';
COMMENT ON COLUMN snapshot_part.sum IS 'SHA-256 of body, in hex';

COMMENT ON TABLE lease IS 'Who holds a claim says here, every few seconds, that he lives: for hosts that cannot ask his. It decides nothing, and nothing is recorded because of it.';
COMMENT ON COLUMN lease.claim IS 'the claim''s id, as in event.claim';
COMMENT ON COLUMN lease.holder IS 'host and process, for people';
COMMENT ON COLUMN lease.renewed IS 'the last time, by the clock of the database';
COMMENT ON COLUMN lease.ends IS 'until when it stands, by the clock of the database';
