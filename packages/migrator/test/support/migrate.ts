import { checkFile, type FileFinding } from "@perdura/conformance";
import { expect } from "vitest";
import { migrate as up, type MigrationReport } from "../../src/index.ts";

type DatabaseReport = MigrationReport["databases"][number];

/**
 * `migrate`, with the judgement of the conformance suite, which shares no code with the migrator: a database that is
 * reported as migrated must meet every requirement of version 16. What it did not meet before, such as a constraint that
 * its owner left out, unusual values that the report names, and times in any form stay on purpose; so do all other bytes
 * of a library in JSON, which `test/patterns` judges.
 */
export async function migrate(...given: Parameters<typeof up>): Promise<MigrationReport> {
  const report = await up(...given);
  for (const item of report.databases) if (item.status === "migrated") expect(faultsOf(item), item.path).toEqual([]);
  return report;
}

/** Checks that a file meets every requirement of version 16. */
export function expectConforms(path: string): void {
  expect(errorsIn(path), path).toEqual([]);
}

function errorsIn(path: string): FileFinding[] {
  const { kind, findings } = checkFile(path, { line: "16" });
  return kind.endsWith("database") ? findings.filter(({ level }) => level === "error") : [];
}

function faultsOf({ path, backup, unusual_rows: unusual }: DatabaseReport): FileFinding[] {
  const errors = errorsIn(path).filter(
    ({ cell }) => cell?.row === undefined || (unusual.length === 0 && cell.column !== "timestamp"),
  );
  if (errors.length === 0 || backup === null) return errors;
  const before = new Set(errorsIn(backup.path).map(placeOf));
  return errors.filter((finding) => !before.has(placeOf(finding)));
}

/** The subject of a finding, the same before and after a migration. */
const placeOf = ({ requirement, at }: FileFinding): string => `${requirement} ${at}`;
