#!/bin/sh
# Installs the Debian packages that are named and missing, where that is permitted: as
# root or by sudo without a password, with apt-get. Else it names them. What is missing
# never stops what comes after: that tells itself what it cannot do without.
#
#     lab/debian.sh iverilog yosys
set -u

# there PACKAGE is true if what the package is known by is there.
there() {
	case $1 in
	fpga-icestorm) command -v icepack ;;
	fpga-icestorm-chipdb) [ -e /usr/share/fpga-icestorm/chipdb ] ;; # only recommended by fpga-icestorm; icetime reads it
	libopenmpi-dev) command -v mpicc ;;
	openmpi-bin) command -v mpirun ;;
	nodejs) command -v node ;;
	tcl) command -v tclsh ;;
	graphviz) command -v dot ;;
	binutils-aarch64-linux-gnu) command -v aarch64-linux-gnu-as ;;
	qemu-user) command -v qemu-aarch64 ;;
	gcc-arm-none-eabi) command -v arm-none-eabi-gcc ;;
	libnewlib-arm-none-eabi) [ -e /usr/lib/arm-none-eabi/newlib/libc.a ] ;;
	python3-numpy) /usr/bin/python3 -c 'import numpy' ;;
	python3-onnx) /usr/bin/python3 -c 'import onnx' ;;
	*) command -v "$1" ;;
	esac >/dev/null 2>&1
}

# absent PACKAGE... prints those that are not there.
absent() {
	for package; do
		there "$package" || printf '%s ' "$package"
	done
}

# install PACKAGE... installs them and says on the way what goes wrong. The package lists
# are fetched only when the ones at hand do not do. A package that this Debian does not have
# does not keep the others away.
install() {
	export DEBIAN_FRONTEND=noninteractive
	get "$@" && return
	$as_root apt-get update -q </dev/null >&2 || return
	get "$@" && return
	[ $# -gt 1 ] || return
	for package; do get "$package" || failed=yes; done
	[ -z "${failed-}" ]
}

# get PACKAGE... installs all of them or none.
get() {
	$as_root apt-get install -y -q --no-install-recommends "$@" </dev/null >&2
}

missing=$(absent "$@")
[ -n "$missing" ] || exit 0

as_root=
if ! command -v apt-get >/dev/null 2>&1; then
	why="there is no apt-get"
elif [ "$(id -u)" -eq 0 ]; then
	why=
elif sudo -n true >/dev/null 2>&1; then
	as_root="sudo -n" why=
else
	why="not root, and sudo wants a password"
fi

if [ -z "$why" ]; then
	echo "tools: installing $missing" >&2
	install $missing || why="apt-get failed"
	missing=$(absent $missing)
fi
[ -z "$missing" ] || echo "tools: missing: $missing(${why:-apt-get left them out}); tests and checks that need them are skipped" >&2
