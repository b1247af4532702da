import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { freshFolder } from "../../../test/fresh_folder.ts";
import { programWords } from "../../../test/programs.ts";

/** Runs the program with text on stdin. */
const run = (words: string[], input = "", cwd = freshFolder()) => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...programWords(new URL("../src/cli.ts", import.meta.url)), ...words],
    { cwd, input, encoding: "utf8" },
  );
  return { status, stdout, stderr };
};

test("ends with 0 when the client closes stdin, and prints nothing but the protocol", () => {
  expect(run(["."])).toEqual({ status: 0, stdout: "", stderr: "" });
  const initialize = {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } },
  };
  const { stdout, status } = run(["."], `${JSON.stringify(initialize)}\n`);
  expect(status).toBe(0);
  const lines = stdout.trim().split("\n");
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([{ id: 1, result: { serverInfo: {} } }]);
});

test.for([
  [["missing"], "missing: the directory does not exist. --write would create it."],
  [["file"], "file: expected the directory of the databases, got a file."],
  [["mysql://me:secret@host/db"], "got an address that is not accepted"],
  [["--schema", "s", "."], "--schema requires an address"],
  [["--json", "."], "--json"],
] as const)("refuses %j with exit code 2", ([words, message]) => {
  const folder = freshFolder();
  writeFileSync(join(folder, "file"), "");
  const { status, stdout, stderr } = run([...words], "", folder);
  expect(status).toBe(2);
  expect(stdout).toBe("");
  expect(stderr).toContain(message);
  expect(stderr).not.toContain("secret");
});

test("the help has no options for an output that does not exist", () => {
  const { stdout, status } = run(["--help"]);
  expect(status).toBe(0);
  expect(stdout).toContain("--write");
  expect(stdout).not.toContain("--json");
});
