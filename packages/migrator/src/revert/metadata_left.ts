import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { UnitedRange } from "../record/united_rows.ts";
import { SIDE_TABLE } from "./names.ts";
import type { OldForm } from "./old_form.ts";
import type { QuarantineShare } from "./quarantine_shares.ts";
import { hasMetadata } from "./return_quarantined.ts";
import { isUnited } from "./united.ts";

/** How many rows of the side table have no column that they could go back into. */
export function metadataLeft(
  database: Database,
  { metrics }: OldForm,
  united: UnitedRange | null,
  shares: readonly QuarantineShare[],
): number {
  const inColumn = metrics?.metadata === null ? "false" : "interaction_id IN (SELECT id FROM main.interactions)";
  const left = database
    .prepare(
      `SELECT count(*) FROM main.${SIDE_TABLE} WHERE NOT (${isUnited(united, "interaction_id")}) AND NOT (${inColumn})`,
    )
    .pluck()
    .get() as number;
  return left + shares.filter((share) => share.to.metadata === null && hasMetadata(database, share)).length;
}
