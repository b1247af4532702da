import type { Row } from "./row.ts";
import { ARCHIVE_STATES } from "./rows/archive_states.ts";
import { BREAKDOWN } from "./rows/breakdown.ts";
import { CITUS } from "./rows/citus.ts";
import { DELETION } from "./rows/deletion.ts";
import { EXPORT } from "./rows/export.ts";
import { FOLD } from "./rows/fold.ts";
import { INSPECT_PAGE, INSPECT_PAGE_OF_ROWS } from "./rows/inspect_page.ts";
import { MIGRATION_ROWS } from "./rows/migration.ts";
import { PATTERN_ROWS } from "./rows/patterns.ts";
import { POSTGRES_BREAKDOWN } from "./rows/postgres_breakdown.ts";
import { POSTGRES_COPY } from "./rows/postgres_copy.ts";
import { POSTGRES_RECORDING } from "./rows/postgres_recording.ts";
import { POSTGRES_STATISTICS } from "./rows/postgres_statistics.ts";
import { QUESTION_ROWS } from "./rows/questions.ts";
import { VERIFY_LIBRARY } from "./rows/verify_library.ts";
import { RECORD_MANY } from "./rows/record_many.ts";
import { RECORD_ROLLUP } from "./rows/record_rollup.ts";
import { RECORDING } from "./rows/recording.ts";
import { SPANS } from "./rows/spans.ts";
import { STARTING } from "./rows/starting.ts";
import { STATISTICS } from "./rows/statistics.ts";
import { TRENDS } from "./rows/trends.ts";

/** Every row, in the order in which they run. */
export const ROWS: Row[] = [
  ...STARTING,
  ...RECORDING,
  ...RECORD_MANY,
  ...RECORD_ROLLUP,
  SPANS,
  ...STATISTICS,
  ...TRENDS,
  ...BREAKDOWN,
  ...QUESTION_ROWS,
  FOLD,
  ...DELETION,
  ...EXPORT,
  INSPECT_PAGE,
  INSPECT_PAGE_OF_ROWS,
  ...PATTERN_ROWS,
  ...MIGRATION_ROWS,
  VERIFY_LIBRARY,
  ARCHIVE_STATES,
  ...POSTGRES_RECORDING,
  ...POSTGRES_STATISTICS,
  ...POSTGRES_BREAKDOWN,
  POSTGRES_COPY,
  ...CITUS,
];
