import { join } from "node:path";
import { PostgresPatternPersistence } from "@perdura/postgres";
import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { expect, onTestFinished, test } from "vitest";
import { copyData } from "../../src/index.ts";
import { freshFolder } from "../support/folder.ts";
import { addRows, DOCUMENTED_15, makeDatabase as makeTables } from "../../../../test/legacy/legacy_database.ts";
import { makeDatabase, newSchema } from "./both_sides.ts";

describeWithPostgres("a library in PostgreSQL", (postgres) => {
  async function loaded(source: string): Promise<number> {
    const schema = newSchema();
    expect(await copyData(source, postgres.url, { schema })).toMatchObject({ exit_code: 0 });
    const persistence = new PostgresPatternPersistence(postgres.url, { schema });
    onTestFinished(() => persistence.close());
    return (await persistence.load()).patterns.size;
  }

  test("exists after the copy of a database with an empty library", async () => {
    expect(await loaded(makeDatabase(join(freshFolder(), "m.db")))).toBe(0);
  });

  test("does not exist after the copy of a database with metrics only", async () => {
    const path = join(freshFolder(), "m.db");
    makeTables(path, DOCUMENTED_15.replace("empathy_level", "level"));
    await expect(loaded(path)).rejects.toMatchObject({ code: "PERDURA_FILE_NOT_FOUND" });
    const old = join(freshFolder(), "m.db");
    makeTables(old, DOCUMENTED_15);
    addRows(old, "interactions", 3);
    await expect(loaded(old)).rejects.toMatchObject({ code: "PERDURA_FILE_NOT_FOUND" });
  });
});
