import type { VerificationReport } from "../report/report.ts";
import { proveMetadata } from "./prove_metadata.ts";
import { proveMetrics } from "./prove_metrics.ts";
import { proveOtherTables } from "./prove_other_tables.ts";
import { proveSchema } from "./prove_schema.ts";
import type { Subject } from "./subject.ts";

/** Compares a migrated database with the copy as it was. `up` does it inside its transaction, before the commit. */
export function proveDatabase(subject: Subject): VerificationReport {
  const metrics = subject.before === null ? null : proveMetrics(subject, subject.before);
  const metadata = subject.before === null ? null : proveMetadata(subject, subject.before);
  const others = proveOtherTables(subject);
  return {
    rows_before: metrics?.rowsBefore ?? null,
    rows_after: metrics?.rowsAfter ?? null,
    rows_quarantined: metrics?.rowsQuarantined ?? 0,
    metadata_rows: metadata?.rows ?? 0,
    rows_added_since: metrics?.rowsAddedSince ?? 0,
    other_tables: others.tables,
    differences: [
      ...(metrics?.differences ?? []),
      ...(metadata?.differences ?? []),
      ...others.differences,
      ...proveSchema(subject),
    ],
  };
}
