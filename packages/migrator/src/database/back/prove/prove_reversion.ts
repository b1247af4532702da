import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { InPieces } from "../../../core/progress.ts";
import { attachBackup } from "../../proof/subject.ts";
import type { VerificationReport } from "../../../core/report.ts";
import type { Reversion } from "../reversion.ts";
import { proveLevels, proveRows } from "./prove_rows.ts";
import { proveMetadata } from "./prove_metadata.ts";
import { type OriginalProof, proveOriginals } from "./prove_originals.ts";
import { proveOthers, proveSchema } from "./prove_others.ts";
import { rowsWere } from "../../../core/rows_text.ts";

/** What a database that was brought back is compared with. */
interface Copies {
  /** The database as it was in version 16. */
  copy: string;
  /** The copies that `up` made, oldest first. */
  originals: readonly string[];
  /** True some time after: programs of before 16 have recorded rows since. */
  later: boolean;
}

/** What the comparison found; the copy from before the migration is undefined where there is none of the same layout. */
export interface ReversionProof {
  verification: VerificationReport;
  original: OriginalProof | undefined;
}

/** Compares a database in its old layout, value by value, with itself in version 16 and from before. */
export function* proveReversion(
  database: Database,
  reversion: Reversion,
  { copy, originals, later }: Copies,
): InPieces<ReversionProof> {
  attachBackup(database, copy);
  const hasRows = reversion.form.metrics !== null;
  const rows = yield* proveRows(database, reversion, later);
  const metadata = hasRows ? yield* proveMetadata(database, reversion, later) : { rows: 0, differences: [] };
  const others = yield* proveOthers(database, reversion, later);
  const original = yield* proveOriginals(database, reversion, originals);
  const before = rows.rows + rows.quarantined;
  const verification: VerificationReport = {
    method: "rows",
    rows_before: hasRows ? before : null,
    rows_after: hasRows ? before + (later ? 0 : rows.more) : null,
    rows_quarantined: rows.quarantined,
    metadata_rows: metadata.rows,
    rows_added_since: original?.added ?? (later ? rows.more : 0),
    other_tables: others.tables,
    differences: [
      ...rows.differences,
      ...metadata.differences,
      ...(hasRows ? proveLevels(database, reversion) : []),
      ...others.differences,
      ...(original?.differences ?? []),
      ...(later ? [] : proveSchema(database, reversion)),
    ],
  };
  return { verification, original };
}

/** What an operator should know of the comparison with the copy from before the migration. */
export function notesOnOriginal(original: OriginalProof | undefined): string[] {
  if (original === undefined) return [];
  const { path, changed } = original;
  return [
    changed === 0
      ? `every row that was there before the migration is what it was, compared with ${path}`
      : `${rowsWere(changed)} changed or deleted in version 16; every other row that was there before the migration is what it was, compared with ${path}`,
  ];
}
