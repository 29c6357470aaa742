#!/bin/sh
# Fails if the lines that changed since BASE bring back phrases that readers stumble over: it prints those lines and the
# plainer word. Comments and strings of Go, scripts and Markdown are read. Each phrase may occur once, and once more for every 500 added
# lines, as some uses are the right ones. BASE is the commit that the branch has in common with main, on main itself the
# commit before.
set -eu
cd "$(dirname "$0")/.."
base=${BASE:-$(git merge-base HEAD main 2>/dev/null || true)}
[ "$base" != "$(git rev-parse HEAD)" ] || base=$(git rev-parse -q --verify HEAD~1 || true)
[ -n "$base" ] || { echo "words: no commit to compare with"; exit 0; }

added=$(mktemp)
trap 'rm -f "$added"' EXIT
git diff -U0 "$base" -- '*.md' '*.go' '*.txtar' ':!lab/words.sh' | awk '
	/^\+\+\+ / { file = substr($0, 7); go = file ~ /\.go$/; next }
	/^@@ / { split($3, at, /[+,]/); line = at[2]; next }
	/^\+/ { if (!go || /\/\/|["`]/) print file ":" line ": " substr($0, 2); line++ }' >"$added"
allowed=$((1 + $(wc -l <"$added") / 500))
status=0
while read -r pattern plainer; do
	count=$(grep -ciE "$pattern" "$added" || true)
	[ "$count" -gt "$allowed" ] || continue
	echo "words: $count lines, at most $allowed: $plainer"
	grep -iE "$pattern" "$added"
	status=1
done <<'END'
\bstands?\b write "is", or what it does
\b(that|those).of\b name the thing again
\bbeside\b write "next to", "besides" or "compared with"
\bof.which\b begin another sentence
\b(so|as).(many|much)\b.*\bas\b write "N" or "as large as"
END
exit $status
