# Keeps a PostgreSQL server for the tests that started this. Each line of standard input is
# a number and starts it; the end of the input, which comes with the end of whoever holds the
# other side of it, takes all of it away.
bin=$1 dir=$2 admin=$3
shift 3
umask 077
mkdir "$dir" && cd "$dir" && exec > log 2>&1 || exit 1
printf %s "$PGPASSWORD" > "$dir/password"
"$bin/initdb" -D "$dir/data" -U "$admin" -A scram-sha-256 --pwfile="$dir/password" -E UTF8 --locale=C --no-sync
pid=
while read -r n; do
	[ -z "$pid" ] || wait "$pid"
	"$bin/postgres" -D "$dir/data" "$@" < /dev/null &
	pid=$!
	echo "$pid" > "$dir/started.$n"
done
if [ -n "$pid" ]; then
	# one that has only just begun ignores it, as everything in the background of a shell
	grep -q ready "$dir/data/postmaster.pid" || sleep 1
	kill -QUIT "$pid"
	wait "$pid"
fi
if [ -e "$dir/data/postmaster.pid" ]; then # it was killed, and could not free its shared memory
	set -- $(sed -n 7p "$dir/data/postmaster.pid")
	[ -z "$2" ] || ipcrm -m "$2"
fi
cd / && rm -rf "$dir"
