-- What the villagers of a bench remember, and what keeps a bench's rows and events apart: a
-- partition has events, which carry the rows of its ledger, or rows that no event carries.

CREATE TABLE memory (
	partition text COLLATE "C" NOT NULL,
	id bigint NOT NULL,
	villager text COLLATE "C" NOT NULL,
	tick bigint NOT NULL,
	register text COLLATE "C" NOT NULL CHECK (register IN ('saw', 'did')),
	text text NOT NULL,
	PRIMARY KEY (partition, id)
);
CREATE INDEX memory_villager ON memory (partition, villager, id);

CREATE FUNCTION torve_memory_next() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	last_id bigint;
BEGIN
	SELECT id INTO last_id FROM memory WHERE partition = NEW.partition ORDER BY id DESC LIMIT 1;
	IF NEW.id <> coalesce(last_id, 0) + 1 THEN
		RAISE EXCEPTION 'memory grows at its end alone (R1): row % of % does not follow row %',
			NEW.id, NEW.partition, coalesce(last_id, 0) USING ERRCODE = 'restrict_violation';
	END IF;
	IF (SELECT seq FROM event WHERE partition = NEW.partition ORDER BY seq LIMIT 1) IS NOT NULL THEN
		RAISE EXCEPTION '% has events, and memory is a bench''s (R7)', NEW.partition
			USING ERRCODE = 'restrict_violation';
	END IF;
	RETURN NEW;
END $$;

CREATE FUNCTION torve_event_first() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF (SELECT id FROM proposal WHERE partition = NEW.partition ORDER BY id LIMIT 1) IS NOT NULL
		OR (SELECT id FROM memory WHERE partition = NEW.partition ORDER BY id LIMIT 1) IS NOT NULL THEN
		RAISE EXCEPTION '% takes no event: it is a bench''s, whose rows are carried by none (R7)', NEW.partition
			USING ERRCODE = 'restrict_violation';
	END IF;
	RETURN NEW;
END $$;

CREATE TRIGGER memory_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON memory
	FOR EACH STATEMENT EXECUTE FUNCTION torve_append_only();
CREATE TRIGGER memory_next BEFORE INSERT ON memory
	FOR EACH ROW EXECUTE FUNCTION torve_memory_next();
CREATE TRIGGER event_first BEFORE INSERT ON event
	FOR EACH ROW WHEN (NEW.seq = 1) EXECUTE FUNCTION torve_event_first();

ALTER TABLE memory ENABLE ALWAYS TRIGGER memory_append_only;
ALTER TABLE memory ENABLE ALWAYS TRIGGER memory_next;
ALTER TABLE event ENABLE ALWAYS TRIGGER event_first;

-- They read the tables beside them, as the guards before them do.
DO $$
BEGIN
	EXECUTE format('ALTER FUNCTION torve_memory_next() SET search_path = %I, pg_temp', current_schema());
	EXECUTE format('ALTER FUNCTION torve_event_first() SET search_path = %I, pg_temp', current_schema());
END $$;

-- Who may read the ledger or add to it may so of the memory: the guards of events read it too.
DO $$
DECLARE
	may record;
BEGIN
	FOR may IN SELECT CASE WHEN a.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END AS who, a.privilege_type AS what
		FROM pg_class c, aclexplode(c.relacl) a
		WHERE c.oid = 'proposal'::regclass AND a.grantee <> c.relowner AND a.privilege_type IN ('SELECT', 'INSERT') LOOP
		EXECUTE format('GRANT %s ON memory TO %s', may.what, may.who);
	END LOOP;
END $$;

COMMENT ON TABLE memory IS 'What the villagers of a bench remember: the rows of the witness that were handed over with a prompt. Only ever added at the end of its partition, which has no event.';
COMMENT ON COLUMN memory.partition IS 'the bench''s; every query of the memory names it';
COMMENT ON COLUMN memory.id IS 'place in the memory of the partition: from 1, without a gap';
COMMENT ON COLUMN memory.villager IS 'who remembers it';
COMMENT ON COLUMN memory.tick IS 'the tick of the world at which it was seen or done';
COMMENT ON COLUMN memory.register IS 'saw: it was seen; did: it was done';
COMMENT ON COLUMN memory.text IS 'in words, as the prompt had it';
