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
const [task, ...taskArguments] = process.argv.slice(2);
if (task === undefined) {
  console.error(
    "usage: node dev/tools/run.mjs TASK [ARGUMENTS]   (TASK is a script of package.json, such as demo or check)",
  );
  process.exit(2);
}

const [major, minor] = process.versions.node.split(".").map(Number);
const tooOld = major < TOOLS_NEED[0] || (major === TOOLS_NEED[0] && minor < TOOLS_NEED[1]);
if (tooOld) {
  console.error(
    `This is Node.js ${process.versions.node}; the tools need ${TOOLS_NEED.join(".")} or newer: using ${NODE} for this run.`,
  );
}
const packages = tooOld ? ["-p", NODE, "-p", PNPM] : ["-p", PNPM];

/** npm's variables for scripts would make pnpm act as npm's child; all others are kept. */
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^npm_(?:package_|lifecycle_|execpath$|command$)/i.test(name)),
);

function pnpm(...words) {
  const npx = process.platform === "win32" ? "npx.cmd" : "npx";
  const { status, signal, error } = spawnSync(npx, ["--yes", ...packages, "--", "pnpm", ...words], {
    cwd: root,
    env,
    stdio: "inherit",
    shell: process.platform === "win32",
  });
  if (error !== undefined) {
    console.error(`cannot start npx, which comes with npm: ${error.message}`);
    process.exit(1);
  }
  if (signal !== null) process.kill(process.pid, signal);
  if (status !== 0) process.exit(status ?? 1);
}

pnpm("install", "--frozen-lockfile", "--reporter=silent");
pnpm("--silent", "run", task, ...taskArguments);
