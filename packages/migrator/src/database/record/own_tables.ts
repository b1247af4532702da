import { QUARANTINE_TABLE } from "./quarantine_table.ts";
import { RECORD_TABLE } from "./migration_record.ts";
import { ASSUMED_LEVELS_TABLE, REPAIRED_VALUES_TABLE, UNITED_ROWS_TABLE } from "./side_tables.ts";

/** The tables that `up` adds to, and that the way back takes away again. */
export const OWN_TABLES: ReadonlySet<string> = new Set([
  QUARANTINE_TABLE,
  RECORD_TABLE,
  ASSUMED_LEVELS_TABLE,
  UNITED_ROWS_TABLE,
  REPAIRED_VALUES_TABLE,
]);
