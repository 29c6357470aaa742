#!/bin/sh
# Fetches the versions of yosys and nextpnr that package.json beside this names, as WebAssembly from
# npm, and makes programs of them: FOLDER/bin goes first on the PATH. What is there already stays.
#
#     lab/newer/install.sh runs/newer
set -eu

here=$(cd "$(dirname "$0")" && pwd)
for program in node npm; do
	command -v "$program" >/dev/null || { echo "$0: $program is missing: install the package $program" >&2; exit 3; }
done
mkdir -p "$1/bin"
folder=$(cd "$1" && pwd)
if ! cmp -s "$here/package.json" "$folder/package.json"; then
	rm -rf "$folder/node_modules" "$folder/share"
	cp "$here/package.json" "$folder/new.json"
	mv "$folder/new.json" "$folder/wanted.json"
	npm install --prefix "$folder" --no-save --no-audit --no-fund --loglevel error \
		$(node -p "Object.entries(require('$folder/wanted.json').dependencies).map((d) => d.join('@')).join(' ')")
	node "$here/run.mjs" --share "$folder/node_modules/@yowasp/yosys" yosys "$folder/share/yosys"
	mv "$folder/wanted.json" "$folder/package.json"
fi

# program PACKAGE NAME makes a program of what a package has under that name.
program() {
	printf '#!/bin/sh\nexec node "%s" "%s" %s "$@"\n' "$here/run.mjs" "$folder/node_modules/@yowasp/$1" "$2" >"$folder/bin/$2"
	chmod +x "$folder/bin/$2"
}
program yosys yosys
program nextpnr-ice40 nextpnr-ice40
"$folder/bin/yosys" -V
"$folder/bin/nextpnr-ice40" --version 2>&1
