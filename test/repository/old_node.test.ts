import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Makes a process believe that it is an older Node.js, before any other code runs. */
const pretend = (version: string): string =>
  `data:text/javascript,Object.defineProperty(process.versions, "node", { value: "${version}" })`;

test.for([
  ["perdura-migrate", ["packages/migrator/src/cli.ts", "plan", "."]],
  ["perdura-inspect", ["packages/inspect/src/cli.ts", "."]],
  ["perdura-backup", ["packages/backup/src/cli.ts", "list", "file:///"]],
  ["perdura-conformance", ["packages/conformance/src/cli.ts", "cases"]],
  ["the build", ["dev/tools/check_node.mjs"]],
] as const)("%s refuses Node.js 20 with a one-line message", ([, words]) => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--conditions=@perdura/source", "--no-warnings", "--import", pretend("20.20.2"), ...words],
    { cwd: root, encoding: "utf8" },
  );
  expect(status).not.toBe(0);
  expect(stdout).toBe("");
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  expect(stderr).toMatch(/22\.1[48].*20\.20\.2/);
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
