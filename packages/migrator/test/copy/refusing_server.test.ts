import { join } from "node:path";
import { describeWithPostgres } from "@perdura/test-servers/postgres/for_tests.js";
import { expect, test } from "vitest";
import { copyData } from "../../src/index.ts";
import { freshFolder } from "../support/folder.ts";
import { makeDatabase, newSchema, otherProgram } from "./both_sides.ts";

const ROWS = { interactions: [1n, 2n, 3n].map((id) => [id, "u", 3n, 1n, null, null]) };

/** A trigger of the operator. */
const triggered = (when: string, body: string): string =>
  `CREATE FUNCTION mine() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body}; RETURN NEW; END $$;
   CREATE TRIGGER mine ${when} INSERT ON interactions FOR EACH ROW EXECUTE FUNCTION mine()`;

describeWithPostgres("a server with conditions of the operator's", (postgres) => {
  /** Copies into tables that were changed before. */
  async function copyAfter(...statements: string[]): ReturnType<typeof copyData> {
    const folder = freshFolder();
    const schema = newSchema();
    await copyData(makeDatabase(join(folder, "empty.db")), postgres.url, { schema });
    const other = await otherProgram(postgres.url, schema);
    for (const statement of statements) await other.query(statement);
    return copyData(makeDatabase(join(folder, "m.db"), ROWS), postgres.url, { schema });
  }

  test.each([
    [
      "the rejected row and its position",
      "ALTER TABLE interactions ADD CONSTRAINT mine CHECK (id <> 2)",
      /violates check constraint "mine" \(Failing row contains \(2, u, 3, .*\)\. COPY interactions, line 2\)\./,
    ],
    [
      "the position of a row that is rejected without details",
      triggered("BEFORE", "RAISE EXCEPTION 'not this one'"),
      /copying failed: not this one \(COPY interactions, line 1\)\./,
    ],
    [
      "an error that concerns no row",
      triggered("BEFORE", "RAISE EXCEPTION 'not you' USING ERRCODE = '42501'"),
      /copying failed: not you\./,
    ],
  ])("reports %s", async (_what, statement, said) => {
    await expect(copyAfter(statement)).rejects.toMatchObject({
      name: "StorageError",
      message: expect.stringMatching(
        new RegExp(`${said.source} Copied rows are kept\\. Run the copy again to finish\\.$`),
      ),
    });
  });

  test("is detected if it deletes a copied row", async () => {
    const report = await copyAfter(
      triggered("AFTER", "EXECUTE format('DELETE FROM %I.interactions WHERE id = 2', TG_TABLE_SCHEMA)"),
    );
    expect(report).toMatchObject({
      exit_code: 4,
      verified: false,
      summary: expect.stringMatching(/^The target differs from the source after the copy\./),
    });
    expect(report.tables.find(({ table }) => table === "interactions")).toMatchObject({
      difference_count: 1,
      differences: [{ key: "2", columns: ["only in the source"] }],
    });
  });
});
