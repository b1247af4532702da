import { copyFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { fixture } from "../../../../fixtures/paths.ts";
import { type MigrationReport, downgradeMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { freshFolder } from "../support/folder.ts";
import { connect } from "../../../../test/legacy/legacy_database.ts";

// A new file that is renamed over a database leaves other processes with the old one, whose later writes are lost.

test.each(["field-a", "documented-15-wal", "field-b", "both-a-15", "half-upgraded"])(
  "%s stays the same file, and an open connection sees the change",
  async (name) => {
    const path = join(freshFolder(), "m.db");
    copyFileSync(fixture("legacy", `${name}.db`), path);
    if (name.endsWith("wal")) copyFileSync(fixture("legacy", `${name}.db-wal`), `${path}-wal`);
    const { ino, birthtimeNs } = statSync(path, { bigint: true });
    const program = connect(path);
    program.prepare("SELECT count(*) FROM sqlite_schema").get();
    const steps: (() => Promise<MigrationReport>)[] = [
      () => migrate(path, { missingLevel: 3 }),
      () => downgradeMigration(path),
      () => migrate(path, { missingLevel: 3 }),
    ];
    for (const step of steps) {
      expect((await step()).exit_code).toBe(0);
      expect(statSync(path, { bigint: true })).toMatchObject({ ino, birthtimeNs });
    }
    program.exec("INSERT INTO interactions (user_id, level, success) VALUES ('late', 1, 1)");
    const other = connect(path, { readonly: true });
    expect(other.prepare("SELECT count(*) FROM interactions WHERE user_id = 'late'").pluck().get()).toBe(1);
    other.close();
    program.close();
  },
);
