#!/bin/sh
# Times the training step in turns with a C prototype of it, and prints for each network,
# number of threads and path the best median of the runs, the best single step, and both
# as ratios to the prototype's. Run it on an idle machine.
#
#	tools/prototype.sh PROTOTYPE [RUNS] [PATHS]
#
# PROTOTYPE is the prototype's benchmark: PROTOTYPE WIDTH DEPTH INPUTS THREADS STEPS prints
# "median M ms (min B) | N ns/gate-step". RUNS is 10 by default, PATHS "avx512 avx2 none".
set -eu
if [ $# -lt 1 ] || [ ! -f "$1" ] || [ ! -x "$1" ]; then
	echo "tools/prototype.sh: ${1:-no PROTOTYPE}: not a program; give the path of the prototype's benchmark" >&2
	exit 2
fi
prototype=$(cd "$(dirname "$1")" && pwd)/$(basename "$1") runs=${2:-10} paths=${3:-avx512 avx2 none}
cd "$(dirname "$0")/.."
bench=$(mktemp)
trap 'rm -f "$bench"' EXIT
go test -c -o "$bench" ./trainer/engine

step() { # network threads path steps
	IALGN_SIMD=$3 "$bench" -test.run '^$' -test.bench "Step/net=$1/threads=$2\$" -test.benchtime "$4x" |
		awk -v path="$3" '/ns\/gate-step/ { for (i = 2; i <= NF; i++) m[$i] = $(i-1); print path, m["ns/gate-step"], m["best-ns/gate-step"] }'
}

for network in "mnist-8k-6 8000 6 2352 60 12" "mnist-8k-100 8000 100 2352 8 3" "cifar10-12k-4 12000 4 46080 60 12"; do
	for threads in 1 2; do
		# shellcheck disable=SC2086 # the words of the network
		set -- $network
		for _ in $(seq "$runs"); do
			"$prototype" "$2" "$3" "$4" "$threads" "$5" |
				sed 's/.*median \([0-9.]*\) ms (min \([0-9.]*\)) | \([0-9.]*\) ns.*/\1 \2 \3/' |
				awk '{ print "prototype", $3, $2 / $1 * $3 }'
			for path in $paths; do
				steps=$5
				[ "$path" = none ] && steps=$6
				step "$1" "$threads" "$path" "$steps"
			done
		done | awk -v net="$1" -v threads="$threads" '
			!($1 in median) { order[++n] = $1; median[$1] = $2; best[$1] = $3 }
			$2 < median[$1] { median[$1] = $2 }
			$3 < best[$1] { best[$1] = $3 }
			END { if (!("prototype" in median)) { print "tools/prototype.sh: the prototype prints no such line as the head of this script tells" > "/dev/stderr"; exit 1 }
				for (i = 1; i <= n; i++) { p = order[i]
				printf "%-14s threads=%d %-9s median %7.1f ns  ratio %5.3f   best %7.1f ns  ratio %5.3f\n", net, threads, p,
					median[p], median[p] / median["prototype"], best[p], best[p] / best["prototype"] } }'
	done
done
