import { makeDatabase } from "../../../../test/legacy/legacy_database.ts";

/** Runs the statements that a refusal prints for the operator. Returns false if it prints none. */
export function runPrintedStatements(path: string, reason: string | null | undefined): boolean {
  const statements = /in the sqlite3 shell: (.*)$/s.exec(reason ?? "")?.[1];
  if (statements !== undefined) makeDatabase(path, statements);
  return statements !== undefined;
}
