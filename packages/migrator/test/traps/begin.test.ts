import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { migrate, type ProgressEvent, downgradeMigration } from "../../src/index.ts";
import { freshFolder } from "../support/folder.ts";
import { addRows, connect, FIELD_A, makeDatabase, query } from "../../../../test/legacy/legacy_database.ts";
import { firstLine, startProgram } from "../support/program.ts";

// A transaction that begins with a read cannot write after another one has written: it fails at once, whatever its
// timeout.

describe.each(["delete", "wal"])("while another program briefly locks the database (%s)", (journal) => {
  const database = (): string => {
    const path = join(freshFolder(), "m.db");
    makeDatabase(path, `PRAGMA journal_mode = ${journal}`, FIELD_A);
    addRows(path, "metrics", 100);
    return path;
  };

  test("up and down wait for the lock, and see what was written before it was released", async () => {
    const path = database();
    for (const [command, table, column] of [
      [migrate, "metrics", "empathy_level"],
      [downgradeMigration, "interactions", "level"],
    ] as const) {
      const row = `INSERT INTO ${table} (user_id, ${column}, success) VALUES ('meanwhile', 1, 1)`;
      const holder = startProgram("brief_holder.ts", path, row);
      await firstLine(holder);
      const report = await command(path, { busyTimeoutMs: 30_000, saveReport: false });
      expect(report).toMatchObject({ exit_code: 0 });
    }
    expect(query(path, "SELECT count(*) FROM metrics WHERE user_id = 'meanwhile'")).toEqual([[2n]]);
  });

  test("rows written between the plan and the lock are migrated", async () => {
    const path = database();
    let written = 0;
    const onProgress = ({ stage }: ProgressEvent): void => {
      if (stage !== "lock") return;
      const other = connect(path);
      other.exec("INSERT INTO metrics (user_id, empathy_level, success) VALUES ('late', 1, 1)");
      other.close();
      written += 1;
    };
    expect(await migrate(path, { onProgress })).toMatchObject({
      exit_code: 0,
      databases: [{ verification: { rows_before: 101, rows_after: 101 } }],
    });
    expect(written).toBe(1);
  });
});
