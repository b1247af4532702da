import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { layOutStates } from "../../../../fixtures/lay_out.ts";
import { fixture } from "../../../../fixtures/paths.ts";
import { originalNames } from "../../src/find/likely_copies.ts";
import { type MigrationReport, planMigration, downgradeMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder, stampOf } from "../support/folder.ts";
import { addRows, connect, FIELD_A, makeDatabase } from "../../../../test/legacy/legacy_database.ts";

const COPIES = [
  "metrics.db.bak",
  "metrics.db.bak2",
  "metrics.db~",
  "metrics.db.old",
  "metrics.db.2026-01-31",
  "metrics.db.1",
  "metrics (copy).db",
  "metrics (1).db",
  "metrics (conflicted copy 2026-01-31).db",
  "metrics (Anna's conflicted copy).db",
  "metrics - Copy.db",
  "metrics - Copy (2).db",
  "metrics-old.db",
  "metrics_backup.db",
  "metrics.orig.db",
  "metrics-2026-01-31.db",
  "metrics_20260131_120000.db",
  "metrics.sync-conflict-20260131-120000-ABCDEF.db",
  "Copy of metrics.db",
  "metrics (copy).db.bak",
];

test.each(COPIES)("recognises %s as a copy of metrics.db by its name", (name) => {
  expect(originalNames(name)).toContain("metrics.db");
});

test.each([
  "metrics.db",
  "old.db",
  "copy.db",
  "(1).db",
  "2026-01-31.db",
  "metrics-team.db",
  "metrics2.db",
  "~",
  ".bak",
])("does not recognise %s as a copy", (name) => {
  expect(originalNames(name)).not.toContain("metrics.db");
});

test("limits the work for a long name of copy marks", () => {
  expect(originalNames(`${"(a)".repeat(60)}.db`).length).toBeLessThan(10);
  expect(originalNames(`metrics${"-old".repeat(60)}.db`).length).toBeLessThan(10);
});

/** Changes the first row. */
function change(path: string): void {
  makeDatabase(path, "UPDATE metrics SET response_time_ms = 77.5 WHERE id = 1");
}

describe("copies in a searched directory", () => {
  function folderWith(...names: string[]): string {
    const folder = freshFolder();
    makeDatabase(join(folder, "metrics.db"), FIELD_A);
    addRows(join(folder, "metrics.db"), "metrics", 3);
    for (const name of names) copyFileSync(join(folder, "metrics.db"), join(folder, name));
    return folder;
  }

  test("are left alone and reported, and the original is migrated", async () => {
    const folder = folderWith(...COPIES);
    const bytes = readFileSync(join(folder, "metrics.db"));
    const report = await migrate(folder, { saveReport: false });
    expect(report).toMatchObject({
      exit_code: 0,
      databases: [{ path: join(folder, "metrics.db"), status: "migrated" }],
    });
    const named = report.left_alone.filter(({ reason }) => reason.startsWith("by its name a copy of "));
    expect(named.map(({ path }) => basename(path)).toSorted()).toEqual(COPIES.toSorted());
    for (const name of COPIES) expect(readFileSync(join(folder, name)).equals(bytes)).toBe(true);
    expect(await planMigration(folder)).toMatchObject({ databases: [{ status: "nothing_to_do" }] });
  });

  test("are migrated if they are targets, or without an original next to them", async () => {
    const folder = folderWith("metrics-old.db", "other-old.db");
    change(join(folder, "other-old.db"));
    const copy = join(folder, "metrics-old.db");
    expect((await planMigration(copy)).databases).toMatchObject([{ path: copy, status: "planned" }]);
    const both = await planMigration([folder, copy]);
    expect(both.databases.map(({ path }) => basename(path))).toEqual(["metrics-old.db", "metrics.db", "other-old.db"]);
    expect(await migrate(copy, { saveReport: false })).toMatchObject({ exit_code: 0 });
    // It has a backup now: it was migrated on purpose.
    expect((await planMigration(folder)).databases).toHaveLength(3);
  });

  test("can be JSON libraries", async () => {
    const folder = freshFolder();
    const text = readFileSync(fixture("libraries", "all-fields.json"), "utf8").replace(
      /"confidence": [\d.]+/,
      '"confidence": NaN',
    );
    for (const name of ["patterns.json", "patterns-old.json"]) writeFileSync(join(folder, name), text);
    const { databases, left_alone: left } = await planMigration(folder);
    expect(databases.map(({ path }) => basename(path))).toEqual(["patterns.json"]);
    expect(left).toEqual([
      {
        path: join(folder, "patterns-old.json"),
        reason: expect.stringMatching(/^by its name a copy of patterns\.json in the same directory; /),
      },
    ]);
  });

  test("can be state directories", async () => {
    const folder = freshFolder();
    layOutStates("documented", join(folder, "state"));
    for (const name of ["state.bak", "state (copy)", "state-old"])
      cpSync(join(folder, "state"), join(folder, name), { recursive: true });
    mkdirSync(join(folder, "empty"));
    const before = stampOf(folder);
    const { state_directories: found, left_alone: left } = await planMigration(folder);
    expect(found.map(({ path }) => basename(path))).toEqual(["state"]);
    expect(left.map(({ path }) => basename(path))).toEqual(
      expect.arrayContaining(["state.bak", "state (copy)", "state-old"]),
    );
    expect(
      (await planMigration(folder, { stateDirectories: [join(folder, "state-old")] })).state_directories,
    ).toHaveLength(2);
    expect(stampOf(folder)).toBe(before);
  });
});

describe("a database that is a copy of another one by its content", () => {
  /** Makes `metrics.db` with this many rows. */
  function folderWithMetrics(rows: number): { folder: string; metrics: string } {
    const folder = freshFolder();
    const metrics = join(folder, "metrics.db");
    makeDatabase(metrics, FIELD_A);
    addRows(metrics, "metrics", rows);
    return { folder, metrics };
  }

  /** Paths that are left alone as copies by content, each with its original. */
  function copiesIn({ left_alone: left }: MigrationReport): Record<string, string | undefined> {
    const found = left.map(({ path, reason }) => [
      path,
      /^by its content a copy of (.+), which has all of /.exec(reason)?.[1],
    ]);
    return Object.fromEntries(found.filter(([, original]) => original !== undefined)) as Record<string, string>;
  }

  test("is left alone and reported, made by cp, VACUUM INTO or SQL, also after the original grew or was migrated", async () => {
    const { folder, metrics } = folderWithMetrics(5);
    mkdirSync(join(folder, "safe"));
    const copies = ["monday.db", "zz.sqlite", "safe/metrics.db", "wal.db"].map((name) => join(folder, name));
    const [copied, vacuumed, elsewhere, logged] = copies as [string, string, string, string];
    copyFileSync(metrics, copied);
    makeDatabase(metrics, `VACUUM INTO '${vacuumed}'`);
    copyFileSync(metrics, elsewhere);
    copyFileSync(metrics, logged);
    makeDatabase(logged, "PRAGMA journal_mode = WAL");
    const all = Object.fromEntries(copies.map((path) => [path, metrics]));
    const bytes = copies.map((path) => readFileSync(path));
    expect(copiesIn(await planMigration(folder))).toEqual(all);

    // In the same directory, an earlier state counts as a copy as well; elsewhere a program may have continued with it.
    addRows(metrics, "metrics", 2);
    const { [elsewhere]: _goesOn, ...beside } = all;
    const grown = await planMigration(folder);
    expect(copiesIn(grown)).toEqual(beside);
    expect(grown.databases.map(({ path }) => path)).toEqual([metrics, elsewhere].toSorted());

    rmSync(elsewhere);
    expect(await migrate(folder, { saveReport: false })).toMatchObject({
      exit_code: 0,
      databases: [{ path: metrics, status: "migrated" }],
    });
    expect(copies.filter((path) => path !== elsewhere).map((path) => readFileSync(path))).toEqual(
      bytes.filter((_, index) => copies[index] !== elsewhere),
    );
    // Its earlier state is in the backup.
    expect(copiesIn(await planMigration(folder))).toEqual(beside);
    expect(copiesIn(await downgradeMigration(folder))).toEqual(beside);
  });

  test("is the newer one of two equal databases, but never one with a default name", async () => {
    const { folder, metrics } = folderWithMetrics(3);
    const [one, two] = ["b.db", "a.db"].map((name) => join(folder, name)) as [string, string];
    for (const [path, hours] of [
      [two, 2],
      [one, 1],
      [metrics, 3],
    ] as const) {
      if (path !== metrics) copyFileSync(metrics, path);
      utimesSync(path, hours * 3600, hours * 3600);
    }
    expect(copiesIn(await planMigration(folder))).toEqual({ [one]: metrics, [two]: metrics });
    rmSync(metrics);
    expect(copiesIn(await planMigration(folder))).toEqual({ [two]: one });
    // An explicit target does not count as a copy; the other file does.
    expect(copiesIn(await planMigration([folder, two]))).toEqual({ [one]: two });
    // A file with another name and more rows does not make a copy of the one that programs look for.
    copyFileSync(one, metrics);
    addRows(one, "metrics", 1);
    expect(copiesIn(await planMigration(folder))).toEqual({ [two]: metrics });
  });

  test("does not report a copy if a value, an id or a table differs, or if it is a target", async () => {
    const { folder, metrics } = folderWithMetrics(4);
    const names = ["value", "id", "table", "tags", "none"];
    for (const name of names) copyFileSync(metrics, join(folder, `${name}.db`));
    for (const [name, sql] of [
      ["value", "UPDATE metrics SET success = 1 - success WHERE id = 4"],
      ["id", "UPDATE metrics SET id = 40 WHERE id = 4"],
      ["table", "CREATE TABLE tags (tag)"],
      ["tags", "CREATE TABLE tags (tag); INSERT INTO tags VALUES ('a')"],
      ["none", "DELETE FROM metrics"],
    ] as const)
      makeDatabase(join(folder, `${name}.db`), sql);
    const plan = await planMigration(folder);
    // All rows of `table` are in `tags`, and `tags` has one more.
    expect(copiesIn(plan)).toEqual({ [join(folder, "table.db")]: join(folder, "tags.db") });
    copyFileSync(metrics, join(folder, "other.db"));
    expect(copiesIn(await planMigration([folder, join(folder, "other.db"), join(folder, "table.db")]))).toEqual({});
  });

  test("does not report a copy if only its patterns are equal, unless it is in the same directory", async () => {
    const folder = freshFolder();
    const paths = ["one/patterns.db", "two/patterns.db", "two/seed.db"].map((name) => join(folder, name));
    for (const path of paths) {
      mkdirSync(dirname(path), { recursive: true });
      copyFileSync(fixture("libraries", "all-fields.db"), path);
      makeDatabase(path, "DELETE FROM pattern_usage");
    }
    expect(copiesIn(await planMigration(folder))).toEqual({ [paths[2] as string]: paths[1] });
    const used = `INSERT INTO pattern_usage (pattern_id, agent_id, success, used_at)
      SELECT id, agent_id, 1, '2026-01-31T12:00:00.123456' FROM patterns LIMIT 1`;
    for (const path of paths.slice(0, 2)) makeDatabase(path, used);
    expect(copiesIn(await planMigration(folder))).toEqual({ [paths[1] as string]: paths[0] });
  });

  test("reports no copy if a database is unreadable or in use", async () => {
    const { folder, metrics } = folderWithMetrics(3);
    const copy = join(folder, "copy_of_it.db");
    copyFileSync(metrics, copy);
    const writer = connect(copy);
    writer.exec("BEGIN EXCLUSIVE");
    const plan = await planMigration(folder, { busyTimeoutMs: 0 });
    writer.close();
    expect(copiesIn(plan)).toEqual({});
    expect(plan.databases.find(({ path }) => path === copy)).toMatchObject({ status: "in_use" });
    truncateSync(copy, 5000);
    expect(copiesIn(await planMigration(folder))).toEqual({});
  });
});
