#!/bin/sh
# Times the training step in turns with C prototypes of it, and prints for each network,
# number of threads and path the best median of the runs, the best single step, and both
# as ratios to the prototype's. Run it on an idle machine.
#
#	lab/prototype.sh PROTOTYPE [RUNS] [PATHS] [RWLGN-PROTOTYPE]
#
# PROTOTYPE is the benchmark of an IALGN prototype, or - to leave those networks out:
# PROTOTYPE WIDTH DEPTH INPUTS THREADS STEPS prints "median M ms (min B) | N ns/gate-step".
# RWLGN-PROTOTYPE is that of an RWLGN, on one thread: RWLGN-PROTOTYPE WIDTH DEPTH INPUTS
# STEPS prints "median M ms, N ns/gate-step"; without its best step, there is no ratio to
# it. RUNS is 10 by default, PATHS "avx512 avx2 none".
set -eu
program() { # path, what it is
	if [ ! -f "$1" ] || [ ! -x "$1" ]; then
		echo "lab/prototype.sh: ${1:-no $2}: not a program; give the path of the prototype's benchmark" >&2
		exit 2
	fi
	echo "$(cd "$(dirname "$1")" && pwd)/$(basename "$1")"
}
prototype=${1:-} runs=${2:-10} paths=${3:-avx512 avx2 none} rwlgn=${4:-}
[ "$prototype" = - ] || prototype=$(program "$prototype" PROTOTYPE)
[ -z "$rwlgn" ] || rwlgn=$(program "$rwlgn" RWLGN-PROTOTYPE)
cd "$(dirname "$0")/.."
bench=$(mktemp)
trap 'rm -f "$bench"' EXIT
go test -c -o "$bench" ./internal/engine

step() { # benchmark network threads path steps
	IALGN_SIMD=$4 "$bench" -test.run '^$' -test.bench "^Benchmark$1\$/net=$2/threads=$3\$" -test.benchtime "$5x" |
		awk -v path="$4" '/ns\/gate-step/ { for (i = 2; i <= NF; i++) m[$i] = $(i-1); print path, m["ns/gate-step"], m["best-ns/gate-step"] }'
}

ours() { # benchmark network threads steps, and those of the plain path
	for path in $paths; do
		steps=$4
		[ "$path" = none ] && steps=$5
		step "$1" "$2" "$3" "$path" "$steps"
	done
}

table() { # network threads; reads "path median best" of all runs
	awk -v net="$1" -v threads="$2" '
		!($1 in median) { order[++n] = $1; median[$1] = $2; best[$1] = $3 }
		$2 < median[$1] { median[$1] = $2 }
		$3 < best[$1] { best[$1] = $3 }
		END { if (!("prototype" in median)) { print "lab/prototype.sh: the prototype prints no such line as the head of this script tells" > "/dev/stderr"; exit 1 }
			for (i = 1; i <= n; i++) { p = order[i]
			printf "%-14s threads=%d %-9s median %7.1f ns  ratio %5.3f", net, threads, p, median[p], median[p] / median["prototype"]
			if (best[p] > 0) printf "   best %7.1f ns", best[p]
			if (best["prototype"] > 0) printf "  ratio %5.3f", best[p] / best["prototype"]
			print "" } }'
}

# shellcheck disable=SC2086 # the words of the networks
if [ "$prototype" != - ]; then
	for network in "mnist-8k-6 8000 6 2352 60 12" "mnist-8k-100 8000 100 2352 8 3" "cifar10-12k-4 12000 4 46080 60 12"; do
		for threads in 1 2; do
			set -- $network
			for _ in $(seq "$runs"); do
				"$prototype" "$2" "$3" "$4" "$threads" "$5" |
					sed 's/.*median \([0-9.]*\) ms (min \([0-9.]*\)) | \([0-9.]*\) ns.*/\1 \2 \3/' |
					awk '{ print "prototype", $3, $2 / $1 * $3 }'
				ours Step "$1" "$threads" "$5" "$6"
			done | table "$1" "$threads"
		done
	done
fi
# shellcheck disable=SC2086
if [ -n "$rwlgn" ]; then
	for network in "rwlgn-8k-6 8000 6 2352 60 12" "rwlgn-8k-100 8000 100 2352 8 3"; do
		set -- $network
		for _ in $(seq "$runs"); do
			"$rwlgn" "$2" "$3" "$4" "$5" | sed -n 's/.*median [0-9.]* ms, \([0-9.]*\) ns.*/prototype \1/p'
			ours Layers "$1" 1 "$5" "$6"
		done | table "$1" 1
	done
fi
