import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { loadLibraryFromJson } from "@perdura/internals/patterns/json_load.js";
import { saveLibraryToJson } from "@perdura/internals/patterns/json_save.js";
import { loadLibraryFromSqlite } from "@perdura/internals/patterns/sqlite_load.js";
import { saveLibraryToSqlite } from "@perdura/internals/patterns/sqlite_save.js";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import type { BackupProgress } from "../src/options.ts";
import { directoryStore, libraryOf } from "./elements.ts";

test("restores a library, a JSON document and a database unchanged, and lists the newest first", async () => {
  const { store, folder } = await directoryStore();
  const library = libraryOf("a", "b");
  const [json, database] = [join(folder, "l.json"), join(folder, "l.db")];
  saveLibraryToJson(library, json);
  saveLibraryToSqlite(library, database);
  const first = await store.backup(library, { name: "agents" });
  const second = await store.backup(json, { name: "agents" });
  const third = await store.backup(database, { name: "agents" });
  expect([first, second, third].map(({ format, stored }) => [format, stored])).toEqual([
    ["json", true],
    ["json", true],
    ["sqlite", true],
  ]);
  expect(await store.list("agents")).toEqual(
    [third, second, first].map(({ sha256: _digits, stored: _stored, ...version }) => version),
  );
  await store.restore("agents", { to: join(folder, "back.db") });
  expect(loadLibraryFromSqlite(join(folder, "back.db"))).toEqual(loadLibraryFromSqlite(database));
  await store.restore("agents", { version: second.version, to: join(folder, "back.json") });
  expect(readFileSync(join(folder, "back.json"))).toEqual(readFileSync(json));
  expect(await store.verify()).toMatchObject([{ ok: true }, { ok: true }, { ok: true }]);
  expect(readdirSync(folder).filter((name) => name.startsWith("."))).toEqual([]);
});

test("lists libraries separately, in the order of their names", async () => {
  const { store, tree } = await directoryStore();
  for (const name of ["b", "a", "ä/ö", "a-b"]) await store.backup(libraryOf(name), { name });
  mkdirSync(join(tree, "somebody else's"));
  writeFileSync(join(tree, "a", "notes.txt"), "");
  expect((await store.list()).map(({ name }) => name)).toEqual(["ä/ö", "a-b", "a", "b"]);
  expect((await store.list("a")).map(({ name }) => name)).toEqual(["a"]);
  expect(await store.list("nobody")).toEqual([]);
});

test("restores a version by its name or a time", async () => {
  const times = ["2026-01-01T10:00:00Z", "2026-01-02T10:00:00Z", "2026-01-03T10:00:00Z"];
  let time = times[0] as string;
  const { store, folder } = await directoryStore({ clock: () => new Date(time) });
  for (const [index, at] of times.entries()) {
    time = at;
    await store.backup(libraryOf(`p${index}`), { name: "n" });
  }
  const restored = async (choice: object): Promise<string[]> => {
    const to = join(folder, `${Math.random()}.json`);
    await store.restore("n", { ...choice, to });
    return [...loadLibraryFromJson(to).patterns.keys()];
  };
  expect(await restored({})).toEqual(["p2"]);
  expect(await restored({ at: "2026-01-02T10:00:01Z" })).toEqual(["p1"]);
  expect(await restored({ at: "2026-01-02" })).toEqual(["p1"]);
  expect(await restored({ at: new Date("2026-01-01T12:00:00Z") })).toEqual(["p0"]);
  await expect(restored({ at: "2025-12-31" })).rejects.toMatchObject({
    code: "PERDURA_FILE_NOT_FOUND",
    message: expect.stringContaining("from 2025-12-31T23:59:59.999Z or earlier") as string,
  });
  await expect(restored({ at: "yesterday" })).rejects.toThrow(/^at: expected a Date, or a time in ISO 8601/);
  await expect(restored({ version: "x", at: "2026-01-01" })).rejects.toThrow(/got both/);
  await expect(store.restore("other", { to: join(folder, "x") })).rejects.toThrow(/no backup of "other"/);
});

test("a slow clock never makes a version that is older than the newest", async () => {
  let time = "2030-01-01T00:00:00Z";
  const { store } = await directoryStore({ clock: () => new Date(time) });
  const ahead = await store.backup(libraryOf("ahead"), { name: "n" });
  time = "2026-01-01T00:00:00Z";
  const behind = await store.backup(libraryOf("behind"), { name: "n" });
  expect((await store.list("n")).map(({ version }) => version)).toEqual([behind.version, ahead.version]);
});

test("twenty concurrent backups make twenty versions", async () => {
  const fixed = new Date("2026-05-05T05:05:05.005Z");
  const { store } = await directoryStore({ clock: () => fixed });
  const made = await Promise.all(Array.from({ length: 20 }, () => store.backup(libraryOf("same"), { name: "n" })));
  expect(new Set(made.map(({ version }) => version)).size).toBe(20);
  expect(await store.list("n")).toHaveLength(20);
  expect((await store.verify("n")).every(({ ok }) => ok)).toBe(true);
});

test("with ifChanged the same content is stored once", async () => {
  const { store, folder } = await directoryStore();
  const path = join(folder, "l.json");
  saveLibraryToJson(libraryOf("a"), path);
  const first = await store.backup(path, { name: "n", ifChanged: true });
  expect(await store.backup(path, { name: "n", ifChanged: true })).toEqual({ ...first, stored: false });
  saveLibraryToJson(libraryOf("b"), path);
  expect(await store.backup(path, { name: "n", ifChanged: true })).toMatchObject({ stored: true });
  await expect(store.backup(libraryOf("b"), { name: "n", ifChanged: true })).rejects.toThrow(
    /^ifChanged: requires a path/,
  );
  expect(await store.list("n")).toHaveLength(2);
});

/**
 * Changes a file until its modification time is later: the clock of a file system ticks a few hundred times a second,
 * and may be behind.
 */
function changeAfter(made: string, path: string, change: () => void): void {
  do change();
  while (Math.floor(statSync(path).mtimeMs) <= Date.parse(made));
}

test("keeps a file that was modified after the backup, unless overwrite is set", async () => {
  const { store, folder } = await directoryStore();
  const to = join(folder, "l.json");
  const { created_at: made } = await store.backup(libraryOf("old"), { name: "n" });
  changeAfter(made, to, () => saveLibraryToJson(libraryOf("mine"), to));
  await expect(store.restore("n", { to })).rejects.toThrow(
    /the file was modified at .* after the backup of .* overwrite/,
  );
  expect([...loadLibraryFromJson(to).patterns.keys()]).toEqual(["mine"]);
  await store.restore("n", { to, overwrite: true });
  expect([...loadLibraryFromJson(to).patterns.keys()]).toEqual(["old"]);
  saveLibraryToJson(libraryOf("long ago"), to);
  utimesSync(to, 1, 1);
  await store.restore("n", { to });
  expect([...loadLibraryFromJson(to).patterns.keys()]).toEqual(["old"]);
});

test("a restored file has the time of its version, so that another version can replace it", async () => {
  let now = Date.UTC(2026, 10, 22, 16, 43, 10);
  const { store, folder } = await directoryStore({ clock: () => new Date(now) });
  const to = join(folder, "l.json");
  // Many moments: file systems and JavaScript do not divide a second in the same way.
  for (let time = 0; time < 40; time += 1) {
    now += 1037;
    await store.backup(libraryOf(`p${time}`), { name: "n" });
    await store.restore("n", { to });
    await store.restore("n", { to });
    expect(Math.floor(statSync(to).mtimeMs)).toBeLessThanOrEqual(now);
    expect(statSync(to).mtimeMs).toBeGreaterThan(now - 1);
  }
  const [, , older] = await store.list("n");
  await store.restore("n", { to, version: older?.version, overwrite: true });
  await store.restore("n", { to });
  expect([...loadLibraryFromJson(to).patterns.keys()]).toEqual(["p39"]);
  // A change directly afterwards counts as a change. (Node.js 22 loses a part of a millisecond when it sets a time.)
  utimesSync(to, new Date(now + 2), new Date(now + 2));
  await expect(store.restore("n", { to })).rejects.toThrow(/the file was modified at/);
});

test("replaces an open database in one transaction, and keeps one with other tables", async () => {
  const { store, folder } = await directoryStore();
  const path = join(folder, "l.db");
  saveLibraryToSqlite(libraryOf("old"), path);
  const { created_at: made } = await store.backup(path, { name: "n" });
  const others = new Database(path);
  others.pragma("journal_mode = WAL");
  changeAfter(made, `${path}-wal`, () => void others.prepare("UPDATE patterns SET id = 'newer'").run());
  await expect(store.restore("n", { to: path })).rejects.toThrow(/the file was modified at/);
  await store.restore("n", { to: path, overwrite: true });
  expect(others.prepare("SELECT id FROM patterns").pluck().all()).toEqual(["old"]);
  others.exec("CREATE TABLE mine (a)");
  others.close();
  utimesSync(path, 1, 1);
  const removed = [{ name: "mine", rows: 0 }];
  await expect(store.restore("n", { to: path })).rejects.toMatchObject({ removedTables: removed });
  expect(await store.restore("n", { to: path, overwrite: true })).toMatchObject({ removed_tables: removed });
});

test("does not change a database while another connection writes to it", async () => {
  const { store, folder } = await directoryStore({ busyTimeoutMs: 200 });
  const path = join(folder, "l.db");
  saveLibraryToSqlite(libraryOf("old"), path);
  await store.backup(path, { name: "n" });
  for (const mode of ["delete", "wal"]) {
    const others = new Database(path);
    others.pragma(`journal_mode = ${mode}`);
    others.exec("UPDATE patterns SET id = 'newer'; BEGIN IMMEDIATE; UPDATE patterns SET name = 'half'");
    await expect(store.restore("n", { to: path, overwrite: true })).rejects.toMatchObject({
      code: "PERDURA_BUSY",
      message: expect.stringContaining("It was not changed") as string,
    });
    expect(others.prepare("SELECT id, name FROM patterns").raw().all()).toEqual([["newer", "half"]]);
    const restoring = store.restore("n", { to: path, overwrite: true });
    setImmediate(() => others.exec("ROLLBACK"));
    await restoring;
    expect(others.prepare("SELECT id FROM patterns").pluck().all()).toEqual(["old"]);
    others.close();
  }
});

test("refuses to restore a database next to the log of another one", async () => {
  const { store, folder } = await directoryStore();
  const path = join(folder, "l.db");
  saveLibraryToSqlite(libraryOf("a"), path);
  await store.backup(path, { name: "n" });
  const database = new Database(path);
  database.pragma("journal_mode = WAL");
  database.exec("DELETE FROM patterns");
  const to = join(folder, "moved.db");
  copyFileSync(`${path}-wal`, `${to}-wal`);
  database.close();
  const refusal = { code: "PERDURA_CORRUPT_DATA", message: expect.stringContaining("moved.db-wal contains data") };
  await expect(store.restore("n", { to, overwrite: true })).rejects.toMatchObject(refusal);
  expect(existsSync(to)).toBe(false);
  expect(statSync(`${to}-wal`).size).toBeGreaterThan(0);
});

test("replaces a database with another page size", async () => {
  const { store, folder } = await directoryStore();
  const path = join(folder, "l.db");
  saveLibraryToSqlite(libraryOf("old"), path);
  await store.backup(path, { name: "n" });
  for (const mode of ["delete", "wal"]) {
    const others = new Database(path);
    others.pragma("journal_mode = delete");
    others.pragma("page_size = 8192");
    others.exec("VACUUM");
    others.pragma(`journal_mode = ${mode}`);
    others.close();
    await store.restore("n", { to: path, overwrite: true });
    expect([...loadLibraryFromSqlite(path).patterns.keys()]).toEqual(["old"]);
  }
});

test("refuses a file that is not a library, and stores nothing", async () => {
  const { store, folder } = await directoryStore();
  const file = (name: string, content: string): string => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const whole = join(folder, "whole.json");
  saveLibraryToJson(libraryOf("a", "b"), whole);
  const half = readFileSync(whole, "utf8").slice(0, -40);
  new Database(join(folder, "metrics.db")).exec("CREATE TABLE interactions (a)").close();
  const bad: [source: unknown, message: RegExp][] = [
    [join(folder, "nowhere.json"), /no such file/],
    [folder, /is a directory; expected a file/],
    [file("empty.json", ""), /found an empty file/],
    [file("text.json", "hello"), /neither a JSON object nor an SQLite database/],
    [file("half.json", half), /half\.json/],
    [file("other.json", '{"patterns": 5}'), /not a pattern library/],
    [file("half.db", `SQLite format 3\0${"x".repeat(200)}`), /half\.db/],
    [join(folder, "metrics.db"), /metrics\.db.*no table "patterns"/],
    [5, /source: expected a pattern library or the path of one, got 5/],
    [undefined, /got undefined/],
  ];
  for (const [source, message] of bad)
    await expect(store.backup(source as string, { name: "n" })).rejects.toThrow(message);
  await expect(store.backup(whole, { name: "" })).rejects.toThrow(/^name:/);
  expect(existsSync(join(folder, "backups"))).toBe(false);
});

test("reports and never restores a damaged version; other versions stay usable", async () => {
  const { store, folder, tree } = await directoryStore();
  const good = await store.backup(libraryOf("good"), { name: "n" });
  const bad = await store.backup(libraryOf("bad"), { name: "n" });
  const path = join(tree, "n", bad.version);
  const bytes = readFileSync(path);
  bytes[bytes.length - 3] = 0x20 ^ (bytes.at(-3) as number);
  writeFileSync(path, bytes);
  expect(await store.verify("n")).toMatchObject([
    {
      version: bad.version,
      ok: false,
      problem: expect.stringContaining("the content differs from what was stored") as string,
    },
    { version: good.version, ok: true, problem: null },
  ]);
  const to = join(folder, "back.json");
  for (const content of [bytes, ""]) {
    writeFileSync(path, content);
    await expect(store.restore("n", { to })).rejects.toMatchObject({ code: "PERDURA_CORRUPT_DATA" });
    expect(readdirSync(folder)).toEqual(["backups"]);
  }
  // In a tree that was copied without the checksums, the digits in the name identify the content.
  const copy = await directoryStore();
  mkdirSync(join(copy.tree, "n"), { recursive: true });
  for (const { version } of [good, bad]) copyFileSync(join(tree, "n", version), join(copy.tree, "n", version));
  expect((await copy.store.verify()).map(({ ok }) => ok)).toEqual([false, true]);
});

test("prune removes versions that no rule keeps; dryRun only reports them", async () => {
  const { store, tree } = await directoryStore();
  for (let round = 0; round < 4; round += 1) await store.backup(libraryOf(`${round}`), { name: "n" });
  await store.backup(libraryOf("x"), { name: "other" });
  const [newest, second] = await store.list("n");
  const dry = await store.prune({ keepLast: 2, name: "n", dryRun: true });
  expect(await store.list("n")).toHaveLength(4);
  const done = await store.prune({ keepLast: 2, name: "n" });
  expect(done).toEqual(dry);
  expect(done.removed).toHaveLength(2);
  expect(await store.list("n")).toEqual([newest, second]);
  expect(readdirSync(join(tree, "n"))).toHaveLength(4);
  expect(await store.list("other")).toHaveLength(1);
});

test("reports its progress, and stops when its signal is aborted", async () => {
  const reported: BackupProgress[] = [];
  const { store, folder } = await directoryStore({ onProgress: (progress) => reported.push(progress) });
  const { size } = await store.backup(libraryOf("a"), { name: "n" });
  await store.restore("n", { to: join(folder, "l.json") });
  expect(reported).toEqual([
    { stage: "snapshot", name: "n", done: 0, total: 0 },
    { stage: "upload", name: "n", done: size, total: size },
    { stage: "check", name: "n", done: size, total: size },
    { stage: "download", name: "n", done: size, total: size },
  ]);
  const signal = AbortSignal.abort(new Error("enough"));
  await expect(store.backup(libraryOf("b"), { name: "n", signal })).rejects.toThrow("enough");
  await expect(store.restore("n", { to: join(folder, "m.json"), signal })).rejects.toThrow("enough");
  expect(await store.list("n")).toHaveLength(1);
  expect(readdirSync(folder).toSorted()).toEqual(["backups", "l.json"]);
});
