import { spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { openBackupStore } from "@perdura/backup";
import { copyContent } from "@perdura/internals/sqlite/copy_content.js";
import { openDatabase } from "@perdura/internals/sqlite/open_database.js";
import { downgradeMigration, migrate, type MigrationReport } from "@perdura/migrator";
import * as v16 from "@perdura/v16";
import Database from "better-sqlite3";
import { describe, expect, onTestFinished, test } from "vitest";
import { freshFolder } from "../fresh_folder.ts";
import { ON_POSIX } from "../needs.ts";
import { programWords } from "../programs.ts";
import { DISPLACED } from "./displaced.ts";
import { contentOf } from "./folder_content.ts";

const HOLDER = programWords(new URL("programs/hold_lock.ts", import.meta.url));
const LEGACY = fileURLToPath(new URL("../../fixtures/legacy/field-a.db", import.meta.url));

/** Locks with which no other process can read. */
const LOCKS = {
  "a rollback journal": "PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE",
  "a write-ahead log": "PRAGMA journal_mode = WAL; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE",
};

/** Lets another process lock a database; returns a function that ends it. */
async function lock(path: string, sql: string): Promise<() => Promise<void>> {
  const holder = spawn(process.execPath, [...HOLDER, path, sql], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void holder.kill("SIGKILL"));
  await once(holder.stdout, "data");
  return async () => {
    holder.stdin.end();
    await once(holder, "close");
  };
}

function library(): string {
  const made = new v16.PatternLibrary();
  made.contribute("agent", { id: "p", pattern_type: "t", name: "n" });
  const path = join(freshFolder(), "agents.db");
  v16.PatternPersistence.saveToSqlite(made, path);
  return path;
}

function legacy(): string {
  const path = join(freshFolder(), "metrics.db");
  copyFileSync(LEGACY, path);
  return path;
}

const OPTIONS = { busyTimeoutMs: 50, saveReport: false };

const store = async (path: string): ReturnType<typeof openBackupStore> =>
  openBackupStore(`file://${join(dirname(path), "..", `${basename(dirname(path))}-backups`)}`, { busyTimeoutMs: 50 });

const orThrow = async (report: Promise<MigrationReport>): Promise<void> => {
  const { exit_code, databases } = await report;
  if (exit_code !== 0) throw Object.assign(new Error(databases[0]?.reason ?? ""), { code: exit_code, ...databases[0] });
};

/** Every door that copies a database with the driver. */
const COPYING: Record<string, { make: () => string | Promise<string>; enter: (path: string) => Promise<unknown> }> = {
  "perdura-backup push": { make: library, enter: async (path) => (await store(path)).backup(path, { name: "agents" }) },
  "perdura-backup pull --overwrite": {
    make: async () => {
      const path = library();
      await (await store(path)).backup(path, { name: "agents" });
      return path;
    },
    enter: async (path) => (await store(path)).restore("agents", { to: path, overwrite: true }),
  },
  "perdura-migrate up": { make: legacy, enter: (path) => orThrow(migrate(path, OPTIONS)) },
  "perdura-migrate up --rehearse": {
    make: legacy,
    enter: (path) => orThrow(migrate(path, { ...OPTIONS, rehearse: true })),
  },
  "perdura-migrate down": {
    make: async () => {
      const path = legacy();
      await orThrow(migrate(path, OPTIONS));
      return path;
    },
    enter: (path) => orThrow(downgradeMigration(path, OPTIONS)),
  },
};

describe.each(Object.entries(LOCKS))("a database with %s that another process locks", (journal, sql) => {
  // A rehearsal reads what is committed without a lock.
  const doors = Object.entries(COPYING).filter(([name]) => !(name.endsWith("rehearse") && journal.includes("ahead")));

  test.each(doors)("is reported by %s as in use, and copied once it is free", async (_, { make, enter }) => {
    const path = await make();
    const release = await lock(path, sql);
    const before = contentOf(dirname(path));
    const failure: { code?: unknown; path?: string; message: string } = await enter(path).then(
      () => ({ message: "no failure" }),
      (error: unknown) => error as Error,
    );
    expect(failure).toMatchObject({ path, message: expect.stringContaining("nother process") });
    expect(["PERDURA_BUSY", 5]).toContain(failure.code);
    if (failure.code === "PERDURA_BUSY")
      expect(failure.message).toMatch(/(?:Nothing was written|It was not changed)\. Try again when .* has finished\.$/);
    expect(contentOf(dirname(path))).toEqual(before);
    await release();
    await enter(path);
  });
});

test.each(Object.entries(DISPLACED))(
  "a copy into a database fails if %s meanwhile",
  ON_POSIX,
  async (_name, displace) => {
    const source = openDatabase(library(), { intent: "read" });
    onTestFinished(() => void source.close());
    const to = join(freshFolder(), "data", "metrics.db");
    mkdirSync(dirname(to));
    new v16.MetricsCollector(to).close();
    let displaced = false;
    const onPages = (): void => {
      if (!displaced) displace(to);
      displaced = true;
    };
    await expect(copyContent(source, to, { onPages })).rejects.toMatchObject({ code: "PERDURA_STORAGE", path: to });
    expect(displaced).toBe(true);
  },
);

test("a database that another process locks after it was opened is named, and the copy stays empty", async () => {
  const [from, to] = [library(), join(freshFolder(), "copy.db")];
  writeFileSync(to, "");
  const source = openDatabase(from, { intent: "read", busyTimeoutMs: 50 });
  onTestFinished(() => void source.close());
  const release = await lock(from, LOCKS["a rollback journal"]);
  const failure = copyContent(source, to, { busyTimeoutMs: 50, shownAs: "the copy" });
  await expect(failure).rejects.toMatchObject({ code: "PERDURA_BUSY", path: from });
  expect(statSync(to).size).toBe(0);
  await release();
  await copyContent(source, to);
});

test("a target that another connection locks after it was opened is named, and copied into once it is free", async () => {
  const source = openDatabase(library(), { intent: "read" });
  onTestFinished(() => void source.close());
  const to = join(freshFolder(), "copy.db");
  const holder = new Database(to);
  onTestFinished(() => void holder.close());
  // It has opened the target by now, and continues when this turn ends.
  const copy = copyContent(source, to, { busyTimeoutMs: 50 });
  holder.exec("BEGIN EXCLUSIVE");
  await expect(copy).rejects.toMatchObject({ code: "PERDURA_BUSY", path: to });
  holder.exec("ROLLBACK");
  await copyContent(source, to);
  expect(holder.prepare("SELECT id FROM patterns").pluck().all()).toEqual(["p"]);
});
