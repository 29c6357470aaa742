// Runs a program that an npm package has as WebAssembly as if it were installed: it sees the files
// below the working folder and those elsewhere that an argument names, and what it writes there stays.
//
//     node run.mjs PACKAGE-FOLDER PROGRAM [ARGUMENT ...]
//     node run.mjs --share PACKAGE-FOLDER PROGRAM FOLDER    copies the program's data into a folder
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

// read returns all files below a folder; what is neither file nor folder is left out.
function read(dir) {
  const tree = {};
  for (const entry of fs.readdirSync(dir, { withFileTypes: true })) {
    const at = path.join(dir, entry.name);
    if (entry.isDirectory()) tree[entry.name] = read(at);
    else if (entry.isFile()) tree[entry.name] = new Uint8Array(fs.readFileSync(at));
  }
  return tree;
}

const isFile = (value) => typeof value === "string" || value instanceof Uint8Array || value instanceof URL;
const content = (value) => (value instanceof URL ? fs.readFileSync(fileURLToPath(value)) : Buffer.from(value));

// write writes what of a tree is not as it was before.
function write(dir, tree, before) {
  fs.mkdirSync(dir, { recursive: true });
  for (const [name, value] of Object.entries(tree)) {
    const at = path.join(dir, name), old = before?.[name];
    if (!isFile(value)) write(at, value, old);
    else if (!(old instanceof Uint8Array) || Buffer.compare(content(value), old) !== 0) fs.writeFileSync(at, content(value));
  }
}

// to returns what writes to an open file, which may be a pipe that is full for now.
const to = (fd) => (bytes) => {
  for (let at = 0; bytes && at < bytes.length; ) {
    try {
      at += fs.writeSync(fd, bytes, at);
    } catch (e) {
      if (e.code !== "EAGAIN") throw e;
    }
  }
};

// place puts a file elsewhere into a tree, and returns the argument by which the program finds it.
function place(argument, number, tree, elsewhere) {
  if (!path.isAbsolute(argument) || !fs.existsSync(path.dirname(argument))) return argument;
  const within = path.relative(process.cwd(), argument);
  if (!within.startsWith("..")) return within || ".";
  const name = `elsewhere-${number}-${path.basename(argument)}`;
  if (fs.existsSync(argument) && fs.statSync(argument).isFile()) tree[name] = new Uint8Array(fs.readFileSync(argument));
  elsewhere[name] = argument;
  return name;
}

// putBack writes the files elsewhere that a program made, and takes them all out of its tree.
function putBack(elsewhere, tree, before) {
  for (const [name, target] of Object.entries(elsewhere)) {
    if (tree[name] !== undefined && !(before[name] && Buffer.compare(content(tree[name]), before[name]) === 0)) {
      fs.writeFileSync(target, content(tree[name]));
    }
    delete tree[name];
  }
}

async function run(folder, program, args) {
  const { commands, Exit } = await import(pathToFileURL(path.join(folder, "gen", "bundle.js")));
  const before = read("."), elsewhere = {};
  args = args.map((a, i) => place(a, i, before, elsewhere));
  let code = 0, after = {};
  try {
    after = (await commands[program](args, before, { stdout: to(1), stderr: to(2), decodeASCII: false })) ?? {};
  } catch (e) {
    if (!(e instanceof Exit)) throw e;
    ({ code, files: after } = e);
  }
  putBack(elsewhere, after, before);
  write(".", after, before);
  process.exitCode = code;
}

async function share(folder, program, target) {
  const { filesystem } = await import(pathToFileURL(path.join(folder, "gen", `resources-${program}.js`)));
  write(target, filesystem.share);
}

const [first, ...rest] = process.argv.slice(2);
if (first === "--share") await share(...rest);
else await run(first, rest[0], rest.slice(1));
