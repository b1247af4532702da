import { statSync } from "node:fs";
import { expect, test } from "vitest";
import { compactDatabases, forgetData, makeSums } from "../../src/index.ts";
import { schemaErrorsOf } from "../support/report_schema.ts";
import { runProgram } from "../support/run_program.ts";
import { longDatabase, ROWS, summed } from "./long_database.ts";

test("compact gives the space of deleted rows back, and keeps the sums", async () => {
  const path = longDatabase();
  await makeSums(path);
  await forgetData(path, { userId: "u1" });
  const before = statSync(path).size;
  const report = await compactDatabases(path);
  expect(schemaErrorsOf("maintenance-report", report)).toEqual([]);
  const after = statSync(path).size;
  expect(report).toMatchObject({ exit_code: 0, databases: [{ status: "done", bytes: before, bytes_after: after }] });
  expect(after).toBeLessThan(before);
  expect(summed(path)).toBe((ROWS / 3) * 2);
  expect(await makeSums(path)).toMatchObject({ databases: [{ status: "nothing_to_do" }] });
  expect(await runProgram("compact", path)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("given back to the disk"),
  });
});
