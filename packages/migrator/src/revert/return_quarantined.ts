import { INTERACTION_METADATA_TABLE } from "@perdura/internals/metrics/schema.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { columnsOfQuarantine, QUARANTINE_TABLE, quarantineColumns } from "../databases/quarantine_table.ts";
import { sqlName, sqlNames } from "../databases/sql_text.ts";
import type { Step } from "../databases/step.ts";
import { withoutTriggers } from "../databases/without_triggers.ts";
import { Stop } from "../core/stop.ts";
import { SIDE_TABLE } from "./names.ts";
import type { OldForm } from "./old_form.ts";
import { type QuarantineShare, takenId } from "./quarantine_shares.ts";

/** Puts rows that a migration set aside back among the others, value by value. Triggers of the user do not fire. */
export function returnStep(share: QuarantineShare): Step {
  const { rows, to } = share;
  return {
    title: `put ${rows} ${rows === 1 ? "row" : "rows"} of ${QUARANTINE_TABLE} back into the table ${to.name}`,
    run: (database) => withoutTriggers(database, [to.name, SIDE_TABLE], () => putBack(database, share)),
  };
}

function putBack(database: Database, share: QuarantineShare): void {
  const { where, from, to, idOffset } = share;
  const { metadata } = quarantineColumns(from);
  const id = idOffset === 0 ? "q.id" : `q.id + (${idOffset})`;
  const filled = to.columns.map((column): [string, string] => {
    if (column.toLowerCase() === "id") return [column, id];
    if (column === to.level) return [column, `q.${sqlName(from.level as string)}`];
    return [column, `q.${sqlName(column === to.metadata ? metadata : column)}`];
  });
  const rows = `FROM main.${QUARANTINE_TABLE} AS q WHERE ${where("q")}`;
  database.pragma("ignore_check_constraints = ON");
  try {
    database.exec(
      `INSERT INTO main.${sqlName(to.name)} (${sqlNames(filled.map(([column]) => column))}) SELECT ${filled.map(([, value]) => value).join(", ")} ${rows} ORDER BY q.id`,
    );
  } finally {
    database.pragma("ignore_check_constraints = OFF");
  }
  if (to.metadata === null && hasMetadata(database, share)) {
    database.exec(INTERACTION_METADATA_TABLE);
    database.exec(
      `INSERT INTO main.${SIDE_TABLE} SELECT ${id}, q.${sqlName(metadata)} ${rows} AND q.${sqlName(metadata)} IS NOT NULL ORDER BY q.id`,
    );
  }
  database.exec(`DELETE FROM main.${QUARANTINE_TABLE} AS q WHERE ${where("q")}`);
}

/** True when a row has metadata that goes into the side table. */
export function hasMetadata(database: Database, { where, from }: QuarantineShare): boolean {
  const metadata = sqlName(quarantineColumns(from).metadata);
  const present = new Set(columnsOfQuarantine(database, "main")?.map(sqlName));
  return (
    present.has(metadata) &&
    database
      .prepare(`SELECT 1 FROM main.${QUARANTINE_TABLE} AS q WHERE ${where("q")} AND q.${metadata} IS NOT NULL LIMIT 1`)
      .get() !== undefined
  );
}

/** @throws Stop when another row has got the id of one that was set aside: the two cannot be told apart any more. */
export function assertIdsAreFree(database: Database, shares: readonly QuarantineShare[], form: OldForm): void {
  for (const share of shares) {
    const taken = takenId(database, share, form);
    if (taken !== undefined)
      throw new Stop(
        "refused",
        `The row ${taken} is in ${QUARANTINE_TABLE}, and a row of that id is in interactions. If you corrected it, delete it from ${QUARANTINE_TABLE}; then run this command again.`,
      );
  }
}
