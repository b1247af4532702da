import { INTERACTION_METADATA_TABLE } from "@perdura/internals/metrics/schema.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { Settings } from "../options.ts";
import type { Catalog } from "../recognise/catalog.ts";
import type { Layout } from "../recognise/layout.ts";
import { holdsPatterns } from "../recognise/layouts/patterns.ts";
import { tombstoneStep } from "./fence.ts";
import { buildIndexes, dropFieldIndexes } from "./indexes.ts";
import type { MetricsTable } from "./metrics_table.ts";
import { assertIdsStayUsed, assertNoObstacle } from "./obstacles.ts";
import { quarantineStep } from "./quarantine.ts";
import { assertQuarantineIsOurs } from "./quarantine_table.ts";
import { assertRowsTellApart } from "./row_id.ts";
import { sqlName } from "./sql_text.ts";
import type { Step } from "./step.ts";

/** The value of `user_version` that marks a database of version 16. */
const TARGET_VERSION = 16;

/** What turns a database into one of version 16; no steps when it is one already. */
export interface Conversion {
  steps: Step[];
  /** Names of indexes of the old layout that are not there afterwards. */
  dropped: string[];
}

/**
 * Puts the steps together for a database that was recognised.
 *
 * @param blocked Rows that version 16 cannot hold.
 * @throws Stop when something stands in the way, for example a name that version 16 needs and that is taken.
 */
export function conversionOf(
  database: Database,
  catalog: Catalog,
  layout: Layout,
  table: MetricsTable | null,
  blocked: number,
  settings: Settings,
): Conversion {
  const tables = { interactions: table !== null, patterns: holdsPatterns(catalog) };
  const renames = table !== null && layout.treatment !== "keep";
  if (renames) assertNoObstacle(database, catalog, table);
  const quarantine =
    renames && blocked > 0 && settings.invalidRows === "quarantine"
      ? [quarantineOf(database, catalog, table, blocked)]
      : [];
  const field = renames && layout.treatment === "convert";
  const old = field ? dropFieldIndexes(database, catalog) : { steps: [], names: [] };
  const steps = [
    ...quarantine,
    ...old.steps,
    ...(field ? [renameTable] : []),
    ...(renames ? [renameLevel(table)] : []),
    ...(field && table.metadata !== null ? moveMetadata(table.metadata) : []),
    ...buildIndexes(database, catalog, tables),
    ...(field && settings.fence === "tombstone" ? [tombstoneStep] : []),
  ];
  if (steps.length === 0) return { steps, dropped: [] };
  assertRowsTellApart(database);
  return { steps: [...steps, ...markVersion(database)], dropped: old.names };
}

function quarantineOf(database: Database, catalog: Catalog, table: MetricsTable, blocked: number): Step {
  assertQuarantineIsOurs(database);
  assertIdsStayUsed(database, catalog, table);
  return quarantineStep(table, blocked);
}

const renameTable: Step = {
  title: "rename the table metrics to interactions",
  run: (database) => void database.exec("ALTER TABLE main.metrics RENAME TO interactions"),
};

const renameLevel = ({ level }: MetricsTable): Step => ({
  title: `rename the column ${level} to level`,
  run: (database) => void database.exec(`ALTER TABLE main.interactions RENAME COLUMN ${sqlName(level)} TO level`),
});

const moveMetadata = (column: string): Step[] => [
  {
    title: "move the metadata into the side table interaction_metadata",
    run: (database) => {
      database.exec(INTERACTION_METADATA_TABLE);
      database.exec(
        `INSERT INTO main.interaction_metadata SELECT id, ${sqlName(column)} FROM main.interactions WHERE ${sqlName(column)} IS NOT NULL ORDER BY id`,
      );
    },
  },
  {
    title: "drop the column metadata",
    run: (database) => void database.exec(`ALTER TABLE main.interactions DROP COLUMN ${sqlName(column)}`),
  },
];

/** A number that another program put there is left alone. */
function markVersion(database: Database): Step[] {
  if (database.pragma("user_version", { simple: true }) !== 0) return [];
  return [
    {
      title: `set user_version to ${TARGET_VERSION}`,
      run: (connection) => void connection.pragma(`user_version = ${TARGET_VERSION}`),
    },
  ];
}
