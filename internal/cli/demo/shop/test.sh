#!/bin/sh
# Runs every test in tests/; the first that fails ends it.
for t in tests/*.sh; do
	sh "$t" || { echo "FAIL $t"; exit 1; }
done
echo "ok, $(ls tests/*.sh | wc -l | tr -d ' ') tests"
