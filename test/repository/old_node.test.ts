import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { freshFolder } from "../fresh_folder.ts";
import { ON_POSIX } from "../needs.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Makes a process believe that it is an older Node.js, before any other code runs. */
const pretend = (version: string): string =>
  `data:text/javascript,Object.defineProperty(process.versions, "node", { value: "${version}" })`;

const PROGRAMS = [
  ["perdura-migrate", ["packages/migrator/src/cli.ts", "plan", "."]],
  ["perdura-inspect", ["packages/inspect/src/cli.ts", "."]],
  ["perdura-mcp", ["packages/mcp/src/cli.ts", "."]],
  ["perdura-backup", ["packages/backup/src/cli.ts", "list", "file:///"]],
  ["perdura-conformance", ["packages/conformance/src/cli.ts", "cases"]],
  ["the build", ["dev/tools/check_node.mjs"]],
] as const;

/** Expects that a program refuses to start, and returns its only line. */
function refusal(words: readonly string[], versions: string): string {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--conditions=@perdura/source", "--no-warnings", "--import", versions, ...words],
    { cwd: root, encoding: "utf8" },
  );
  expect(status).not.toBe(0);
  expect(stdout).toBe("");
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  return stderr;
}

test.for(PROGRAMS)("%s refuses Node.js 20 with a one-line message", ([, words]) => {
  expect(refusal(words, pretend("20.20.2"))).toMatch(/22\.1[48].*20\.20\.2/);
});

test.for(PROGRAMS.slice(0, -1))("%s refuses Bun with a one-line message", ([name, words]) => {
  const bun = `data:text/javascript,Object.defineProperty(process.versions, "bun", { value: "1.4.5" })`;
  expect(refusal(words, bun)).toContain(`${name} needs Node.js 22.14 or newer; this is Bun 1.4.5.`);
});

test("the library refuses Node.js 20 before anything is saved", () => {
  const old = `data:text/javascript,Object.defineProperty(process.versions, "node", { value: "20.20.2" }); delete JSON.rawJSON; delete JSON.isRawJSON`;
  const program = `import { PatternLibrary } from "@perdura/v16";
    try { new PatternLibrary().contribute("a", { id: "p", pattern_type: "t", name: "n", context: { a: [] } }) } catch (error) { console.log(String(error)) }`;
  const { stdout } = spawnSync(
    process.execPath,
    ["--conditions=@perdura/source", "--no-warnings", "--import", old, "--input-type=module", "--eval", program],
    { cwd: root, encoding: "utf8" },
  );
  expect(stdout).toBe("UnsupportedRuntimeError: perdura needs Node.js 22.14.0 or newer; this is Node.js 20.20.2.\n");
});

// A shell script takes the place of npx.
test.for([
  ["", /^node@26\S+$/, "."],
  ["node@26", /^node@24\S+$/, " does not start on this machine)."],
] as const)(
  "the tools run on the Node.js of .nvmrc, or on 24 if it does not start: %s",
  ON_POSIX,
  ([broken, used, end]) => {
    const folder = freshFolder();
    const log = join(folder, "log");
    const script = `#!/bin/sh\necho "$*" >> '${log}'\ncase "$3" in ${broken === "" ? "none" : `${broken}*`}) exit 127;; esac\n`;
    writeFileSync(join(folder, "npx"), script, { mode: 0o755 });
    const { status, stderr } = spawnSync(
      process.execPath,
      ["--import", pretend("20.20.2"), "dev/tools/run.mjs", "a-task", "--an-option"],
      { cwd: root, encoding: "utf8", env: { ...process.env, PATH: `${folder}${delimiter}${process.env["PATH"]}` } },
    );
    expect(status).toBe(0);
    expect(stderr.trimEnd().endsWith(end)).toBe(true);
    const calls = readFileSync(log, "utf8").trimEnd().split("\n");
    expect(calls[0]).toMatch(/^--yes -p node@26\S+ -- node --version$/);
    expect(calls.slice(1).map((call) => call.split(" ").slice(6).join(" "))).toEqual([
      "pnpm install --frozen-lockfile --reporter=silent",
      "pnpm --silent run a-task --an-option",
    ]);
    for (const call of calls.slice(1)) expect(call.split(" ")[2]).toMatch(used);
  },
);

test("a new clone reports that no registry answers", () => {
  const clone = freshFolder();
  for (const file of ["dev/tools/run.mjs", ".nvmrc"]) cpSync(join(root, file), join(clone, file));
  // A port that no program listens on, and an empty cache.
  const env = { ...process.env, npm_config_registry: "http://127.0.0.1:9", npm_config_cache: join(clone, "cache") };
  const { status, stderr } = spawnSync(process.execPath, ["dev/tools/run.mjs", "a-task"], {
    cwd: clone,
    encoding: "utf8",
    env,
  });
  expect(status).not.toBe(0);
  const [first, ...others] = stderr.trimEnd().split("\n");
  expect(first).toBe("The npm registry does not answer: trying with the packages that this machine has.");
  expect(others.at(-1)).toMatch(/connect it to a registry, and repeat/);
});
