#!/bin/sh
# Checks what changed since BASE in about a minute: go vet, the import policy, and the short tests of the packages that
# changed, then of the importers of those that changed in more than tests, one after the other while there is time. It
# names the packages that it leaves out. BASE is the commit that the branch has in common with main, on main itself the
# last commit.
set -eu
cd "$(dirname "$0")/.."
go=${GO:-go}
end=$(($(date +%s) + ${SECONDS_MAX:-60}))
base=${BASE:-$(git merge-base HEAD main 2>/dev/null || echo HEAD)}

# folder FILE prints the folder of the package that a file belongs to, such as that above testdata.
folder() {
	case $1 in *.md) echo ./internal/doctest && return ;; esac
	d=$(dirname "$1")
	while [ "$d" != . ] && ! ls "$d"/*.go >/dev/null 2>&1; do d=$(dirname "$d"); done
	echo "./$d"
}

# packages prints the packages of the files on standard input.
packages() {
	folders=$(while read -r f; do folder "$f"; done | sort -u)
	# shellcheck disable=SC2086 # a word a folder
	[ -z "$folders" ] || "$go" list -e -f '{{if not .Error}}{{.ImportPath}}{{end}}' $folders 2>/dev/null
}

files=$(git diff --name-only "$base" && git ls-files --others --exclude-standard)
changed=$(echo "$files" | grep . | packages)
sources=$(echo "$files" | grep '\.go$' | grep -v '_test\.go$' | packages)
importers=$("$go" list -f '{{$p := .ImportPath}}{{range .Imports}}{{$p}} {{.}}
{{end}}{{range .TestImports}}{{$p}} {{.}}
{{end}}{{range .XTestImports}}{{$p}} {{.}}
{{end}}' ./... | awk -v sources="$sources" -v changed="$changed" '
	BEGIN {
		n = split(sources, a); for (i = 1; i <= n; i++) is[a[i]] = 1
		n = split(changed, a); for (i = 1; i <= n; i++) seen[a[i]] = 1
	}
	($2 in is) && !seen[$1]++ { print $1 }')

# shellcheck disable=SC2086
[ -z "$changed" ] || "$go" vet $changed
"$go" test -short -vet=off ./internal/archtest
status=0 out=
for p in $changed $importers; do
	left=$((end - $(date +%s)))
	[ "$left" -gt 0 ] || { out="$out $p"; continue; }
	rc=0
	timeout "$left" "$go" test -short -vet=off "$p" || rc=$?
	case $rc in
	0) ;;
	124) out="$out $p" ;;
	*) status=1 ;;
	esac
done
[ -z "$out" ] || echo "left out, for want of time:$out"
exit $status
