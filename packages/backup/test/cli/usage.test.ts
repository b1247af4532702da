import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { saveLibraryToJson } from "@perdura/internals/patterns/json_save.js";
import { freshFolder, libraryOf } from "../elements.ts";
import { runProgram, runProgramIn } from "./run_program.ts";

const A = "file:///nowhere/at/all";

test.each<[words: string[], message: string | RegExp]>([
  [["puhs", A], 'Unknown command "puhs". Did you mean push?'],
  [["restore", A], 'Unknown command "restore". Did you mean pull?'],
  [["sideways"], 'Unknown command "sideways".'],
  [["constructor"], /Unknown command "constructor"\. See/],
  [["__proto__"], /Unknown command "__proto__"\. See/],
  [["--quiet"], "Expected a command: push, list, pull, verify, prune."],
  [[A], "Expected a command as the first word: push, list, pull, verify, prune."],
  [["push"], "push needs ADDRESS: the address of a store"],
  [["push", A], "push needs PATH: the file of a library."],
  [
    ["push", A, "https://u:secret@h/"],
    "PATH: expected no address; the value is not shown, because it may contain a secret.",
  ],
  [["list", A, "s3://bucket"], "list: expected the name of a library after the address, got another address."],
  [["pull", A, "n", "--to", "s3://bucket"], "--to: expected no address;"],
  [["pull", A], "pull needs NAME: the name of a library."],
  [["pull", A, "n"], "pull needs --to PATH: the path of a file. See perdura-backup pull --help."],
  [["list", A, "a", "b"], 'list takes ADDRESS [NAME]; unexpected argument: "b".'],
  [["list", A, "--to", "x"], "--to does not apply to list. It applies to pull."],
  [["pull", A, "n", "--to", "x", "--name", "m"], "--name does not apply to pull. The name follows the address."],
  [
    ["list", A, "--version"],
    "--version does not apply to list. It is an option of pull. perdura-backup --version prints the",
  ],
  [["list", A, "--jsn"], "Unknown option --jsn. Did you mean --json?"],
  [["list", A, "--json=yes"], "--json takes no value."],
  [["pull", A, "n", "--to"], "--to needs a value: the path of a file."],
  [["pull", A, "n", "--to", "a", "--to", "b"], "--to was given twice with different values."],
  [["pull", A, "n", "--to", "a", "--version", "v", "--at", "2026-01-01"], "--version and --at cannot be combined."],
  [["pull", A, "n", "--to", "a", "--version", "v"], "--version: expected the name of a version"],
  [
    ["pull", A, "n", "--to", "a", "--at", "yesterday"],
    "--at: expected a time with its zone such as 2026-11-22T16:43:10Z",
  ],
  [["pull", A, "n", "--to", "a", "--at", "2026-02-31T25:00Z"], "--at: expected "],
  [["prune", A], "prune requires at least one of --keep-last, "],
  [["prune", A, "--keep-daily", "0"], "prune requires at least one of"],
  [["prune", A, "--keep-last", "many"], '--keep-last: expected a whole number of at least 0, got "many".'],
  [["prune", A, "--keep-last", "-1"], '--keep-last: expected a whole number of at least 0, got "-1".'],
  [["prune", A, "--keep-last", "1.5"], '--keep-last: expected a whole number of at least 0, got "1.5".'],
  [["list", A, "--tries", "21"], '--tries: expected a whole number from 1 to 20, got "21".'],
  [["list", A, "--timeout", "0"], "--timeout: expected a whole number of seconds from 1 to 999999"],
  [["list", "./backups"], /"\.\/backups" is not an address\. For a directory, write file:\/\/\/.*\/backups\./],
  [["list", "file://host/backups"], "expected file:/// and the path of a directory"],
  [["list", "ftp://host/backups"], "ADDRESS: expected an address that begins with s3://"],
  [["list", A], `${A}: the directory does not exist.`],
  [["push", A, "/nowhere/agents.db"], "/nowhere/agents.db: no such file. Nothing was changed."],
  [["push", A, tmpdir()], `perdura-backup: PATH: ${tmpdir()} is a directory; expected a file.`],
  [["push", A, "x", "--name", "é".repeat(100)], "perdura-backup: --name: expected a name of at most 200 characters"],
  [["list", A, "é".repeat(100)], "perdura-backup: NAME: expected a name of at most 200 characters"],
])("2: %j", async (words, message) => {
  const { code, stdout, stderr } = await runProgram(...words);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  if (typeof message === "string") expect(stderr).toContain(message);
  else expect(stderr).toMatch(message);
});

test("2: an unknown name of a library is a usage error of list, verify, prune and pull", async () => {
  const folder = freshFolder();
  const address = pathToFileURL(folder).href;
  for (const words of [["list"], ["verify"], ["prune", "--yes", "--keep-last", "1"], ["pull", "--to", `${folder}/x`]]) {
    const { code, stderr } = await runProgram(...words, address, "agents");
    expect({ words, code, stderr }).toEqual({
      words,
      code: 2,
      stderr: expect.stringContaining('there is no backup of "agents".'),
    });
  }
  expect(await runProgram("list", address)).toEqual({ code: 0, stdout: "No backups.\n", stderr: "" });
});

test("1: verify of a place without a backup does not succeed", async () => {
  const address = pathToFileURL(freshFolder()).href;
  const { code, stdout, stderr } = await runProgram("verify", address);
  expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
  expect(stdout).toMatch(/^Found no backup in .*; nothing was verified\.\n$/);
  const { code: same, stdout: json } = await runProgram("verify", "--json", address);
  expect({ same, ...(JSON.parse(json) as object) }).toMatchObject({ same: 1, exit_code: 1, versions: [] });
});

test("shows no secret of an address, and escapes control characters", async () => {
  const { code, stderr } = await runProgram("list", "https://me:hunter2@host/x?a=1&sig=s3cr3t&b=2");
  expect(code).toBe(2);
  expect(stderr).toContain("expected an address that begins with s3://");
  expect(stderr).not.toMatch(/hunter2|s3cr3t/);
  for (const words of [
    ["li\u001b[2Jst"],
    ["list", "\u001b[2J"],
    ["push", A, "a\u001b[2J\u202e.db"],
    ["list", A, "--\u001b"],
  ]) {
    const seen = await runProgram(...words);
    expect(seen.code).toBe(2);
    expect(seen.stderr).not.toMatch(/[\u001b\u202e]/);
    expect(seen.stderr).toContain("\\u001b");
  }
});

test("prints the version, and help in spite of other errors", async () => {
  expect(await runProgram("--version")).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    stderr: "",
  });
  for (const words of [[], ["--help"], ["help"], ["-h", "--bogus"]])
    expect(await runProgram(...words)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Usage: perdura-backup COMMAND \[OPTIONS\]\n[^]*\nCommands:\n/),
    });
  for (const command of ["push", "list", "pull", "verify", "prune"]) {
    const { code, stdout } = await runProgram(command, "--help");
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^Usage: perdura-backup ${command} \\[OPTIONS\\] ADDRESS`));
    expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
    expect(stdout.includes("--keep-last N")).toBe(command === "prune");
  }
});

test("PERDURA_STORE replaces an omitted address", async () => {
  const folder = freshFolder();
  const file = join(folder, "agents.json");
  const address = pathToFileURL(join(folder, "store")).href;
  saveLibraryToJson(libraryOf("one"), file);
  const run = (...words: string[]) => runProgramIn({ env: { PERDURA_STORE: address } }, ...words);
  expect(await run("push", "-q", file)).toMatchObject({ code: 0, stderr: "" });
  expect(await run("list", "-q", "agents")).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^1 version of 1/),
  });
  // An explicit address takes precedence.
  expect(await run("list", A)).toMatchObject({ code: 2, stderr: expect.stringContaining(`${A}: the directory`) });
  expect(await run("list", address, "agents", "more")).toMatchObject({ code: 2 });
  expect(await runProgramIn({ env: { PERDURA_STORE: undefined } }, "list")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Alternatively, set the environment variable PERDURA_STORE. See"),
  });
  const secret = { PERDURA_STORE: "s3://key:hunter2@bucket" };
  const refused = await runProgramIn({ env: secret }, "list");
  expect(refused.code).toBe(2);
  expect(refused.stderr).not.toContain("hunter2");
});
