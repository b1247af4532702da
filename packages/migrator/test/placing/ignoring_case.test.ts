import { readdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CASE_INSENSITIVE } from "../../../../test/case_insensitive.ts";
import { downgradeMigration, verifyMigration } from "../../src/index.ts";
import { migrate } from "../support/migrate.ts";
import { nextFile, numberedFiles } from "../../src/io/placing.ts";
import { FIELD_A, addRows, makeDatabase } from "../../../../test/legacy/legacy_database.ts";

describe.each(CASE_INSENSITIVE)("on $kind that ignores case", ({ open }) => {
  test("uses the name of a database that the directory lists, in any spelling", async (context) => {
    const folder = open(context);
    const path = join(folder, "metrics.db");
    makeDatabase(path, FIELD_A);
    addRows(path, "metrics", 3);
    const done = (status: string, backup: string) => ({
      exit_code: 0,
      databases: [{ path, status, backup: { path: `${path}.${backup}.bak` } }],
    });
    expect(await migrate(join(folder, "METRICS.DB"))).toMatchObject(done("migrated", "v15"));
    expect(await verifyMigration([path, join(folder, "Metrics.db")])).toMatchObject({
      exit_code: 0,
      databases: [{ path, status: "verified" }],
    });
    expect(await downgradeMigration(join(folder, "Metrics.DB"))).toMatchObject(done("downgraded", "v16"));
    addRows(path, "metrics", 1);
    expect(await migrate(join(folder, "METRICS.db"))).toMatchObject(done("migrated", "v15.2"));
    expect(
      readdirSync(folder)
        .filter((name) => name.endsWith(".bak"))
        .toSorted(),
    ).toEqual(["metrics.db.v15.2.bak", "metrics.db.v15.bak", "metrics.db.v16.bak"]);
  });

  test("finds the backups of a database whose name changed its case", async (context) => {
    const folder = open(context);
    const [path, other] = [join(folder, "metrics.db"), join(folder, "Metrics.DB")];
    makeDatabase(path, FIELD_A);
    addRows(path, "metrics", 3);
    expect(await migrate(path)).toMatchObject({ exit_code: 0 });
    renameSync(path, other);
    expect(await verifyMigration(other)).toMatchObject({
      exit_code: 0,
      databases: [{ path: other, status: "verified" }],
    });
    expect(await downgradeMigration(other)).toMatchObject({ exit_code: 0, databases: [{ status: "downgraded" }] });
    addRows(other, "metrics", 1);
    expect(await migrate(other)).toMatchObject({ databases: [{ backup: { path: `${other}.v15.2.bak` } }] });
  });

  test("numbers names after those that differ only in case", (context) => {
    const stem = join(open(context), "m.db.v15");
    for (const name of ["M.DB.v15.bak", "M.db.v15.3.bak", "m.db.V15.4.bak", "m.db.v15.5.BAK"])
      writeFileSync(join(stem, "..", name), "");
    expect(numberedFiles(stem, ".bak").map((path) => path.slice(stem.length - 8))).toEqual([
      "M.DB.v15.bak",
      "M.db.v15.3.bak",
      "m.db.V15.4.bak",
    ]);
    expect(nextFile(stem, ".bak")).toBe(`${stem}.6.bak`);
  });
});
