import { copyFileSync, existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { saveLibraryToJson } from "@perdura/internals/patterns/json_save.js";
import { saveLibraryToSqlite } from "@perdura/internals/patterns/sqlite_save.js";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { freshFolder, libraryOf } from "../elements.ts";
import { runProgram } from "./run_program.ts";

/** A store with two versions of `agents`, made from the returned file. */
async function storeWithAgents(): Promise<{ folder: string; address: string; file: string; tree: string }> {
  const folder = freshFolder();
  const [tree, file] = [join(folder, "store"), join(folder, "agents.json")];
  const address = pathToFileURL(tree).href;
  for (const id of ["one", "two"]) {
    saveLibraryToJson(libraryOf(id), file);
    expect(await runProgram("push", "--quiet", address, file)).toMatchObject({ code: 0, stderr: "" });
  }
  return { folder, address, file, tree };
}

const versionsIn = (tree: string, name: string): string[] =>
  readdirSync(join(tree, name)).filter((each) => !each.endsWith(".sha256"));

test("pushes and pulls a library of several megabytes, and reports an invalid one", async () => {
  const folder = freshFolder();
  const address = pathToFileURL(join(folder, "store")).href;
  const library = libraryOf("one");
  for (const pattern of library.patterns.values()) pattern.description = "x".repeat(6 << 20);
  const [json, database] = [join(folder, "large.json"), join(folder, "large.db")];
  saveLibraryToJson(library, json);
  saveLibraryToSqlite(library, database);
  for (const file of [json, database]) {
    expect(await runProgram("push", "--quiet", address, file)).toMatchObject({ code: 0, stderr: "" });
    const to = join(folder, `back-${file === json ? "a.json" : "b.db"}`);
    const words = ["--to", to, "--version", versionsIn(join(folder, "store"), "large").toSorted().at(-1) as string];
    expect(await runProgram("pull", address, "large", ...words)).toMatchObject({ code: 0 });
    if (file === json) expect(readFileSync(to).equals(readFileSync(json))).toBe(true);
    expect(readdirSync(folder)).toContain(file === json ? "back-a.json" : "back-b.db");
  }
  writeFileSync(json, readFileSync(json, "utf8").trimEnd().slice(0, -1));
  expect(await runProgram("push", address, json)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/large\.json:\d+:\d+: not valid JSON: /),
  });
});

test("push, list, pull, verify and prune print tables without colours", async () => {
  const { folder, address, file, tree } = await storeWithAgents();
  const [oldest = "", newest = ""] = versionsIn(tree, "agents").toSorted();
  const pushed = await runProgram("push", address, file, "--if-changed");
  expect(pushed).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Nothing was stored: .*has the same/) });
  const named = await runProgram("push", address, file, "--name", "team a/ü\u001b");
  expect(named.stdout).toMatch(/^Stored team a\/ü\\u001b as \S+\.json \(\d+ bytes\) in file:/);
  expect(named.stderr).toContain(`${address}/team%20a%2F%C3%BC%1B: upload: storing\n`);
  const listed = await runProgram("list", address);
  expect(listed).toMatchObject({ code: 0, stderr: "" });
  const lines = listed.stdout.trimEnd().split("\n");
  expect(lines[0]).toMatch(/^name {12}version {32}created {15} +size {2}format$/);
  expect(lines[1]).toMatch(new RegExp(`^agents {10}${newest} {2}\\S+ \\S+ UTC {2}\\d+ bytes {2}JSON$`));
  expect(lines[3]).toMatch(/^team a\/ü\\u001b /);
  expect(lines.slice(4)).toEqual(["", expect.stringMatching(/^3 versions of 2 libraries, [\d.]+ (?:bytes|kB)\.$/)]);
  expect((await runProgram("list", "-q", address, "agents")).stdout).toMatch(/^2 versions of 1 library, [^\n]*\n$/);

  // A target that no version can be written to is wrong usage, not a decision.
  expect(await runProgram("pull", address, "agents", "--to", folder)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^perdura-backup: --to: .* is a directory; expected a file/),
  });
  const to = join(folder, "back.json");
  const pulled = await runProgram("pull", address, "agents", "--to", to, "--version", oldest);
  expect(pulled).toMatchObject({ code: 0, stdout: expect.stringContaining(`(${oldest}, `) });
  expect(readFileSync(to)).toEqual(readFileSync(join(tree, "agents", oldest)));
  utimesSync(to, 1, 1);
  expect((await runProgram("pull", address, "agents", "--to", to, "--at", "2999-01-01")).code).toBe(0);
  expect(readFileSync(to)).toEqual(readFileSync(file));

  expect(await runProgram("verify", address)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/intact\n\n3 versions read, all intact\.\n$/),
  });
  const dry = await runProgram("prune", address, "agents", "--keep-last", "1", "--dry-run");
  expect(dry.stdout).toMatch(
    new RegExp(`^name[^\n]*\nagents  ${oldest}[^\n]*\n\nWould remove 1 version .*; 1 would be kept.\n$`),
  );
  expect(versionsIn(tree, "agents")).toHaveLength(2);
  expect((await runProgram("prune", address, "--keep-last", "1", "--yes")).stdout).toMatch(
    /\nRemoved 1 version .*; 2 kept\.\n$/,
  );
  expect(versionsIn(tree, "agents")).toEqual([newest]);
  expect((await runProgram("prune", address, "--keep-last", "1", "-y")).stdout).toBe("Nothing to remove; 2 kept.\n");
});

test("3: keeps a file that is newer or of another kind, unless --overwrite is given", async () => {
  const { folder, address, file } = await storeWithAgents();
  const before = readFileSync(file);
  utimesSync(file, new Date("2100-01-01"), new Date("2100-01-01"));
  const newer = await runProgram("pull", address, "agents", "--to", file);
  expect(newer).toMatchObject({ code: 3, stdout: "" });
  expect(newer.stderr).toMatch(
    /^perdura-backup: .*agents\.json: the file was modified at 2100.*\. Use --overwrite to replace it\.\n$/,
  );
  expect(readFileSync(file)).toEqual(before);
  expect((await runProgram("pull", address, "agents", "--to", file, "--overwrite")).code).toBe(0);
  const database = join(folder, "l.db");
  saveLibraryToSqlite(libraryOf("a"), database);
  await runProgram("push", address, database);
  for (const [text, what] of [
    ["{}", "the file is a JSON document"],
    ["hello", "found a file that is neither a JSON object"],
  ] as const) {
    writeFileSync(database, text);
    const { code, stderr } = await runProgram("pull", address, "l", "--to", database, "--overwrite");
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining(what) });
    expect(readFileSync(database, "utf8")).toBe(text);
  }
});

test("pull names every reason to keep a database, and the tables that --overwrite removed", async () => {
  const { folder, address } = await storeWithAgents();
  const database = join(folder, "l.db");
  saveLibraryToSqlite(libraryOf("a"), database);
  await runProgram("push", address, database);
  new Database(database)
    .exec('CREATE TABLE calls (a); INSERT INTO calls VALUES (1), (2); CREATE TABLE "a ""b" (a)')
    .close();
  const pull = ["pull", "--quiet", address, "l", "--to", database];
  const tables =
    'the database has tables that the backup does not have: calls (2 rows), a "b (0 rows). The file was kept.';
  utimesSync(database, 1, 1);
  const more = await runProgram(...pull);
  expect(more).toEqual({ code: 3, stdout: "", stderr: expect.stringMatching(/: the database has tables/) });
  expect(more.stderr).toContain(`${tables} Use --overwrite to replace it and remove these tables.`);
  utimesSync(database, new Date("2100-01-01"), new Date("2100-01-01"));
  const both = await runProgram(...pull);
  expect(both).toEqual({
    code: 3,
    stdout: "",
    stderr: expect.stringMatching(/: the file was modified at 2100.*; and /),
  });
  expect(both.stderr).toContain(tables);
  const { code, stdout } = await runProgram(...pull, "--overwrite", "--json");
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    summary: expect.stringContaining('Removed tables that the backup does not have: calls (2 rows), a "b (0 rows).'),
    removed_tables: [
      { name: "calls", rows: 2 },
      { name: 'a "b', rows: 0 },
    ],
  });
});

test.each([[], ["--json"], ["--quiet"]])("3: prune without a terminal removes nothing %s", async (...options) => {
  const { address, tree } = await storeWithAgents();
  expect(await runProgram("prune", address, "--keep-last", "1", ...options)).toEqual({
    code: 3,
    stdout: "",
    stderr:
      "perdura-backup: cannot ask for confirmation without a terminal, or with --json or --quiet. Nothing was removed. Use --dry-run to list the versions, or --yes to remove them without a question.\n",
  });
  expect(versionsIn(tree, "agents")).toHaveLength(2);
});

test("4: verify reports a version that is not intact; 1: pull does not restore it", async () => {
  const { folder, address, tree } = await storeWithAgents();
  const [oldest = "", newest = ""] = versionsIn(tree, "agents").toSorted();
  copyFileSync(join(tree, "agents", oldest), join(tree, "agents", newest));
  const { code, stdout } = await runProgram("verify", address, "agents");
  expect(code).toBe(4);
  expect(stdout).toMatch(new RegExp(`\nagents  ${newest}  .* not intact: .*\nagents  ${oldest}  .* intact\n`));
  expect(stdout).toMatch(/\n2 versions read, 1 not intact\.\n$/);
  const to = join(folder, "back.json");
  expect(await runProgram("pull", address, "agents", "--to", to)).toMatchObject({ code: 1, stdout: "" });
  expect(existsSync(to)).toBe(false);
});

test("1: refuses a file that is not a library, and stores nothing", async () => {
  const { folder, address } = await storeWithAgents();
  for (const text of ['{"patterns": 5}', '{"patterns": [', ""]) {
    writeFileSync(join(folder, "bad.json"), text);
    expect(await runProgram("push", address, join(folder, "bad.json"))).toMatchObject({ code: 1, stdout: "" });
  }
  expect((await runProgram("list", address, "bad")).code).toBe(2);
});

test("5: a database that another connection holds for too long", async () => {
  const { folder, address } = await storeWithAgents();
  const path = join(folder, "held.db");
  saveLibraryToSqlite(libraryOf("a"), path);
  const holder = new Database(path);
  try {
    holder.exec("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE");
    const { code, stderr } = await runProgram("push", address, path, "--timeout", "1");
    expect({ code, stderr }).toEqual({ code: 5, stderr: expect.stringContaining("another process held the database") });
  } finally {
    holder.close();
  }
});
