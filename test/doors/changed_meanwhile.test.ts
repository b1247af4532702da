import { existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  downgradeMigration,
  migrate,
  type MigrationReport,
  type ProgressEvent,
  planMigration,
  pruneMigration,
  verifyMigration,
} from "@perdura/migrator";
import * as v15 from "@perdura/v15";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { freshFolder } from "../fresh_folder.ts";
import { ON_POSIX } from "../needs.ts";
import { DISPLACED } from "./displaced.ts";

/** A pre-16 database in WAL mode, in a directory of its own. */
function legacy(): string {
  const path = join(freshFolder(), "data", "metrics.db");
  mkdirSync(dirname(path));
  using collector = new v15.MetricsCollector(path);
  collector.recordInteraction("ann", 4, true, 1);
  return path;
}

/** The same, migrated to 16. */
async function migrated(): Promise<string> {
  const path = legacy();
  expect((await migrate(path)).exit_code).toBe(0);
  return path;
}

/** The column of levels in the file at a path; undefined without a file. */
function levelColumnAt(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  const database = new Database(path);
  try {
    return database
      .prepare("SELECT name FROM pragma_table_info('interactions') WHERE name LIKE '%level'")
      .pluck()
      .get() as string;
  } finally {
    database.close();
  }
}

/** Displaces files at the first event of a stage. */
function displacing(path: string, stage: string, displace: (path: string) => void) {
  const state = { displaced: false };
  const onProgress = (event: ProgressEvent): void => {
    if (state.displaced || event.stage !== stage) return;
    state.displaced = true;
    displace(path);
  };
  return { state, onProgress };
}

const DOORS = [
  {
    name: "up",
    make: async () => legacy(),
    enter: migrate,
    stages: ["lock", "backup", "change", "verify", "commit"],
    before: "empathy_level",
  },
  {
    name: "down",
    make: migrated,
    enter: downgradeMigration,
    stages: ["lock", "backup", "downgrade", "verify", "commit"],
    before: "level",
  },
];

const CELLS = DOORS.flatMap(({ stages, ...door }) =>
  stages.flatMap((stage) => Object.entries(DISPLACED).map(([what, displace]) => ({ ...door, stage, what, displace }))),
);

test.each(CELLS)(
  "perdura-migrate $name reports no change if $what at the stage $stage",
  ON_POSIX,
  async ({ make, enter, stage, displace, before }) => {
    const path = await make();
    const { state, onProgress } = displacing(path, stage, displace);
    const report: MigrationReport = await enter(path, { onProgress });
    expect(state.displaced).toBe(true);
    expect(report.exit_code).not.toBe(0);
    expect(report.databases[0]).toMatchObject({ backup: null, reason: expect.any(String) });
    expect([before, undefined]).toContain(levelColumnAt(path));
  },
);

/** Files that are not at the path of a database any more, so that only its backup has the rows. */
const LOST = Object.entries(DISPLACED).filter(([what]) => /^the file [^,]*$/.test(what));

describe.each(LOST)("if %s", ON_POSIX, (_what, displace) => {
  test.each(["compare", "prune"])("perdura-migrate prune keeps the backup, at the stage %s", async (stage) => {
    const path = await migrated();
    const { state, onProgress } = displacing(path, stage, displace);
    const report = await pruneMigration(path, { pruneBackups: true, onProgress });
    expect(state.displaced).toBe(true);
    const isThere = existsSync(path) && stage === "compare";
    expect([report.exit_code === 0, existsSync(`${path}.v15.bak`)]).toEqual([isThere, !isThere]);
  });
});

test.each(["plan", "verify"])(
  "perdura-migrate %s names a database that was removed meanwhile",
  ON_POSIX,
  async (name) => {
    const path = await migrated();
    const { onProgress } = displacing(path, name === "plan" ? "inspect" : "compare", () => rmSync(path));
    const report = await (name === "plan" ? planMigration : verifyMigration)(path, { onProgress });
    expect(report.exit_code).not.toBe(0);
    expect(report.databases[0]?.reason).toMatch(
      name === "plan" ? /^It was removed while it was read/ : /no such database file/,
    );
    expect(report.databases[0]?.reason).not.toContain("perdura-tmp");
  },
);
