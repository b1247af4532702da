// The only entry point: `npm start` and `npm test` call this. It needs only a Node.js of version 18 or newer and npm,
// fetches the pinned pnpm (and a newer Node.js if this one is too old for the tools), installs, and runs a task.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const PNPM = "pnpm@12.21.0";
/** The oldest Node.js that runs TypeScript directly and that the build tools accept. */
const TOOLS_NEED = [22, 18];

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const NODE = `node@${readFileSync(join(root, ".nvmrc"), "utf8").trim()}`;
/** Taken if that one does not start: for Linux it needs libatomic, which small images do not have. */
const OTHER_NODE = "node@24.21.0";
const [task, ...taskArguments] = process.argv.slice(2);
if (task === undefined) {
  console.error(
    "usage: node dev/tools/run.mjs TASK [ARGUMENTS]   (TASK is a script of package.json, such as demo or check)",
  );
  process.exit(2);
}

const [major, minor] = process.versions.node.split(".").map(Number);
const tooOld = major < TOOLS_NEED[0] || (major === TOOLS_NEED[0] && minor < TOOLS_NEED[1]);

/** npm's variables for scripts would make pnpm act as npm's child; all others are kept. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^npm_(?:package_|lifecycle_|execpath$|command$)/i.test(name)),
);

function npx(words, stdio) {
  const program = process.platform === "win32" ? "npx.cmd" : "npx";
  const ended = spawnSync(program, ["--yes", ...words], { cwd: root, env, stdio, shell: process.platform === "win32" });
  if (ended.error === undefined) return ended;
  console.error(`cannot start npx, which comes with npm: ${ended.error.message}`);
  process.exit(1);
}

/** A Node.js that runs the tools; undefined for this one. */
function newerNode() {
  if (!tooOld) return undefined;
  const starts = npx(["-p", NODE, "--", "node", "--version"], "ignore").status === 0;
  const found = starts ? NODE : OTHER_NODE;
  const why = starts ? "" : ` (${NODE} does not start on this machine)`;
  console.error(
    `This is Node.js ${process.versions.node}; the tools need ${TOOLS_NEED.join(".")} or newer: using ${found} for this run${why}.`,
  );
  return found;
}

const node = newerNode();
const packages = [...(node === undefined ? [] : ["-p", node]), "-p", PNPM];

function pnpm(...words) {
  const { status, signal } = npx([...packages, "--", "pnpm", ...words], "inherit");
  if (signal !== null) process.kill(process.pid, signal);
  if (status !== 0) process.exit(status ?? 1);
}

pnpm("install", "--frozen-lockfile", "--reporter=silent");
pnpm("--silent", "run", task, ...taskArguments);
