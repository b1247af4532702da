// The only entry point: `npm start` and `npm test` call this. It needs only a Node.js of version 18 or newer and npm,
// fetches the pinned pnpm (and a newer Node.js if this one is too old for the tools), installs, and runs a task.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const PNPM = "pnpm@12.21.0";
/** The oldest Node.js that runs TypeScript directly and that the build tools accept. */
const TOOLS_NEED = [22, 18];

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const NODE = `node@${readFileSync(join(root, ".nvmrc"), "utf8").trim()}`;
/** Taken if that one does not start: for Linux it needs libatomic, which small images do not have. */
const OTHER_NODE = "node@24.21.0";
/** Milliseconds that the registry of npm's settings may take to answer. */
const ANSWERS_WITHIN = 10_000;
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

const isWindows = process.platform === "win32";
const start = (program, words, settings) =>
  spawnSync(isWindows ? `${program}.cmd` : program, words, { cwd: root, env, shell: isWindows, ...settings });

/** npm repeats a request for minutes without a word if no registry answers. So a new clone asks first. */
const isOffline =
  !existsSync(join(root, "node_modules")) &&
  start("npm", ["view", PNPM, "version", "--fetch-retries=0"], { stdio: "ignore", timeout: ANSWERS_WITHIN }).status !==
    0;
if (isOffline) {
  console.error("The npm registry does not answer: trying with the packages that this machine has.");
  env.npm_config_offline = "true";
}

function npx(words, stdio) {
  const ended = start("npx", ["--yes", ...words], { stdio });
  if (ended.error === undefined) return ended;
  console.error(`cannot start npx, which comes with npm: ${ended.error.message}`);
  process.exit(1);
}

function endWith(status) {
  if (isOffline)
    console.error(
      "The tools and packages are not all on this machine, and are downloaded once: connect it to a registry, and repeat. `npm config get registry` shows which one is set.",
    );
  process.exit(status);
}

/** A Node.js that runs the tools; undefined for this one. */
function newerNode() {
  if (!tooOld) return undefined;
  const starts = npx(["-p", NODE, "--", "node", "--version"], "ignore").status === 0;
  const found = starts ? NODE : OTHER_NODE;
  const why = starts ? "" : ` (${NODE} ${isOffline ? "is not on" : "does not start on"} this machine)`;
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
  return status ?? 1;
}

const installed = pnpm("install", "--frozen-lockfile", "--reporter=silent", ...(isOffline ? ["--offline"] : []));
if (installed !== 0) endWith(installed);
process.exitCode = pnpm("--silent", "run", task, ...taskArguments);
