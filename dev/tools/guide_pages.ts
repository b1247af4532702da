// Runs the commands of the guides in docs/guides, in order and in a separate folder for each page, and puts their output into
// the page. With --check it only compares, and exits with 1 if a page shows something else.
//
// ```console  commands after "$ ", with what they print; may fail
// ```sh       commands that must succeed; their output is not shown
// ```ts, ```js  a file, if the first line is a comment with its name
//
// Commands that cannot run here (a cloud, a timer) are in blocks of another language.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeGuideFolder } from "./guide_folder.ts";
import { withoutCounts } from "./pages/without_counts.ts";

const GUIDES = fileURLToPath(new URL("../../docs/guides/", import.meta.url));

const BLOCK = /^```(\w+)\n([^]*?)^```$/gm;

/** Printed before the output of each command; no program prints it. */
const MARK = "\u0001";

/** Printed for a program that the page did not install. */
const ABSENT = "\u0002";

/**
 * Replaces npm's programs in the shell of a page: nothing is downloaded, and npm itself is slow to start. Progress,
 * which a terminal erases, goes to stderr: a page shows that only if there is no other output.
 */
const PRELUDE = `
npm() { case "$1" in install | i | init | ci) ;; *) command npm "$@" ;; esac; }
npx() {
  local program=./node_modules/.bin/perdura-\${1#@perdura/}
  [ "$1" = @perdura/migrator ] && program=./node_modules/.bin/perdura-migrate
  shift
  [ -e "$program" ] || { printf '${ABSENT}'; return 127; }
  "$program" "$@" 2>.stderr >.stdout
  local status=$?
  if [ -s .stdout ]; then cat .stdout; else cat .stderr; fi
  return $status
}
mark() { local status=$?; printf '${MARK}'; return $status; }
export NO_COLOR=1 npm_config_update_notifier=false npm_config_userconfig=/dev/null
`;

/**
 * The page with the current output of its commands.
 *
 * @throws Error if a command of an `sh` block fails, or a program is run that the page does not install.
 */
export function refreshedGuide(page: string): string {
  const folder = makeGuideFolder(page);
  // The commands run on the built packages, as a reader's do.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(?:NODE_OPTIONS$|npm_)/i.test(name)),
  );
  const bash = (script: string): ReturnType<typeof spawnSync> =>
    spawnSync("bash", ["-c", `${PRELUDE}\nexec 2>&1\n${script}`], { cwd: folder, env, encoding: "utf8" });
  try {
    return page.replaceAll(BLOCK, (block, language: string, text: string) => {
      if (["ts", "js"].includes(language)) keepFile(folder, text);
      if (language === "sh") assertSucceeded(text, bash(`set -e\n${text}`));
      if (language !== "console") return block;
      const commands = commandsOf(text);
      const printed = String(bash(commands.map((command) => `mark\n${command}`).join("\n")).stdout).split(MARK);
      if (printed.join().includes(ABSENT))
        throw new Error(`The page runs a program that it does not install; name its package:\n${text}`);
      const shown = commands.map((command, index) => `$ ${command}\n${normal(printed[index + 1] ?? "", folder)}`);
      return `\`\`\`console\n${shown.join("")}\`\`\``;
    });
  } finally {
    rmSync(dirname(folder), { recursive: true, force: true });
  }
}

/** Lines after `$ `, with their continuation lines after a backslash. */
function commandsOf(text: string): string[] {
  return [...text.matchAll(/^\$ ((?:.*\\\n)*.*)$/gm)].map(([, command]) => command as string);
}

/** A block that begins with a comment like `// agent.mjs` is a file. */
function keepFile(folder: string, text: string): void {
  const [, name] = /^\/\/ ([\w-]+\.\w+)\n/.exec(text) ?? [];
  if (name === undefined) return;
  writeFileSync(join(folder, name), text);
}

function assertSucceeded(text: string, { status, stdout }: ReturnType<typeof spawnSync>): void {
  if (status !== 0) throw new Error(`The commands failed with ${String(status)}:\n${text}\n${String(stdout)}`);
}

/** Replaces text that differs between runs. */
function normal(printed: string, folder: string): string {
  const text = withoutCounts(printed)
    .replaceAll(folder, "/home/alice/agents")
    .replaceAll(/(?<=\bperdura@)(\d+)\.\d+\.\d+/g, "$1.0.0")
    .replaceAll(/(?<=\bperdura-conformance )\d+\.\d+\.\d+/g, "0.1.0")
    .replaceAll(/\(\d+\.\d s\)/g, "(1.8 s)")
    .replaceAll(
      /SHA-256 begins with [0-9a-f]{16}, expected [0-9a-f]{16}/g,
      "SHA-256 begins with 0bbb763ce78b7931, expected 77238d1b2c1621df",
    )
    .replaceAll(/[\d.]+ [kMGT]?B free/g, "83.0 GB free")
    .replaceAll(/\d{8}T\d{6}\.\d{6}Z-[0-9a-f]{8}/g, "20261122T164310.123456Z-1a2b3c4d")
    .replaceAll(
      /\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z| UTC)?/g,
      (moment) =>
        "2026-11-22T16:43:10.123456Z".slice(0, moment.replace(/Z| UTC/, "").length).replace("T", moment[10] as string) +
        (/Z| UTC/.exec(moment)?.[0] ?? ""),
    );
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const name of readdirSync(GUIDES).filter((file) => file.endsWith(".md") && file !== "postgresql.md")) {
    const before = readFileSync(join(GUIDES, name), "utf8");
    const after = refreshedGuide(before);
    if (after === before) continue;
    if (process.argv.includes("--check")) {
      process.stderr.write(
        `docs/guides/${name} does not match the output of its commands: run node dev/tools/guide_pages.ts.\n`,
      );
      process.exitCode = 1;
    } else writeFileSync(join(GUIDES, name), after);
  }
}
