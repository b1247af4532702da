import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { migrate } from "../support/migrate.ts";
import { layoutSuite } from "../layouts/layout_suite.ts";
import { fill, insertion, oldTable, optionsFor } from "../layouts/old_table.ts";
import { freshFolder } from "../support/folder.ts";
import { connect, type Connection, makeDatabase } from "../../../../test/legacy/legacy_database.ts";

layoutSuite(
  (old) => {
    const { programs } = old.layout;
    const { table = "", indexes = {} } = programs ?? {};
    /** The table that the programs of the layout write. */
    const written = oldTable({ ...old.layout, table });
    const INSERT = insertion(written, 20, { user_id: "'a'", level: "1", success: "1", response_time_ms: "2.5" });

    async function migrated(fence: "tombstone" | "none"): Promise<Connection> {
      const path = join(freshFolder(), "m.db");
      makeDatabase(path, old.create);
      fill(path, old, 10);
      expect(await migrate(path, { ...optionsFor(old), fence })).toMatchObject({ exit_code: 0 });
      return connect(path);
    }

    describe("the tombstone", () => {
      test("makes pre-15 programs, and programs of 15 or later that rebuild the table, fail at their start", async () => {
        const database = await migrated("tombstone");
        const create = written.create.replace("CREATE TABLE", "CREATE TABLE IF NOT EXISTS");
        expect(() => database.exec(create)).toThrow("views may not be indexed");
        for (const [name, columns] of Object.entries(indexes))
          expect(() => database.exec(`CREATE INDEX IF NOT EXISTS ${name} ON ${table}(${columns})`)).toThrow(
            "views may not be indexed",
          );
        for (const column of programs?.columns ?? [])
          expect(() => database.exec(`ALTER TABLE ${table} DROP COLUMN ${column}`)).toThrow(table);
        expect(() => database.exec(`CREATE TABLE other AS SELECT * FROM ${table}`)).toThrow("migrated to version 16");
        expect(
          database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE ? || '%'").all(table),
        ).toEqual([]);
        database.close();
      });

      test("makes running programs fail with a message when they read or write", async () => {
        const database = await migrated("tombstone");
        const named = programs?.columns.join(", ");
        expect(() => database.exec(INSERT.replace(", my_note", "").replace(/, 'note \d+'/, ""))).toThrow(
          `This database was migrated to version 16: the table ${table} is now interactions, which no version of the program that wrote it can use.`,
        );
        for (const sql of [
          `SELECT * FROM ${table} WHERE ${written.names.user_id} = 'a'`,
          `SELECT ${named} FROM ${table}`,
          `SELECT count(*) FROM ${table}`,
        ])
          expect(() => database.prepare(sql).all()).toThrow("migrated to version 16");
        database.close();
      });

      test("does not prevent later schema changes", async () => {
        const database = await migrated("tombstone");
        database.exec(
          "ALTER TABLE interactions ADD COLUMN team TEXT; ALTER TABLE interactions RENAME COLUMN team TO crew; ALTER TABLE interactions DROP COLUMN crew; VACUUM",
        );
        expect(database.prepare("SELECT count(*) FROM interactions").pluck().get()).toBe(10);
        database.close();
      });
    });

    test("keeps no object under the old name without a fence", async () => {
      const database = await migrated("none");
      expect(() => database.exec(INSERT)).toThrow("no such table");
      database.close();
    });
  },
  ({ layout }) => layout.programs !== undefined,
);
