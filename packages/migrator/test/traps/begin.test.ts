import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { type MigrationOptions, type ProgressEvent, downgradeMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { rotated, useLayout } from "../layouts/layout_suite.ts";
import { fill, insertion, optionsFor } from "../layouts/old_table.ts";
import { freshFolder } from "../support/folder.ts";
import { connect, makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";
import { PATIENCE_MS } from "../../../../test/patience.ts";
import { firstLine, startProgram } from "../support/program.ts";

// A transaction that begins with a read cannot write after another one has written: it fails at once, whatever its
// timeout.

type Patience = Required<Pick<MigrationOptions, "busyTimeoutMs" | "onProgress">>;

const JOURNALS = [["delete"], ["wal"], ["truncate"], ["wal"], ["persist"]] as const;

describe.each(rotated(JOURNALS))("while another program briefly locks the database (%s)", (journal, old) => {
  beforeEach(() => useLayout(old));

  const database = (): string => {
    const path = join(freshFolder(), "m.db");
    makeDatabase(path, `PRAGMA journal_mode = ${journal}`, old.create);
    fill(path, old, 100);
    return path;
  };
  const late = (id: number, user: string): string =>
    insertion(old, id, { user_id: user, level: "1", success: "1", response_time_ms: "1" });

  test("up and down wait for the lock, and see what was written before it was released", async () => {
    const path = database();
    const since = "INSERT INTO interactions (user_id, level, success) VALUES ('meanwhile', 1, 1)";
    for (const [command, row] of [
      [(options: Patience) => migrate(path, { ...optionsFor(old), ...options }), late(101, "'meanwhile'")],
      [(options: Patience) => downgradeMigration(path, { saveReport: false, ...options }), since],
    ] as const) {
      const holder = startProgram("brief_holder.ts", path, row);
      await firstLine(holder);
      // It ends only once the command is about to wait for it: a slow machine may plan for long.
      const onProgress = ({ stage }: ProgressEvent): void => void (stage === "lock" && holder.stdin?.end());
      const report = await command({ busyTimeoutMs: PATIENCE_MS, onProgress });
      expect(report).toMatchObject({ exit_code: 0 });
    }
    expect(query(path, `SELECT count(*) FROM ${old.table} WHERE ${old.names.user_id} = 'meanwhile'`)).toEqual([[2n]]);
  });

  test("rows written between the plan and the lock are migrated", async () => {
    const path = database();
    let written = 0;
    const onProgress = ({ stage }: ProgressEvent): void => {
      if (stage !== "lock") return;
      const other = connect(path);
      other.exec(late(101, "'late'"));
      other.close();
      written += 1;
    };
    expect(await migrate(path, { ...optionsFor(old), onProgress })).toMatchObject({
      exit_code: 0,
      databases: [{ verification: { rows_before: 101, rows_after: 101 } }],
    });
    expect(written).toBe(1);
  });
});
