import type { MetricsTable } from "../databases/metrics_table.ts";
import { sqlName, sqlNames } from "../databases/sql_text.ts";
import type { Step } from "../databases/step.ts";
import { withoutTriggers } from "../databases/without_triggers.ts";
import type { SchemaEntry } from "../recognise/catalog.ts";
import type { UnitedRange } from "../record/united_rows.ts";
import { hasSideTable } from "./bring_back_table.ts";
import { filledColumns } from "./columns.ts";
import { makeObject } from "./make_object.ts";
import { SIDE_TABLE } from "./names.ts";
import { formerId, isUnited } from "./united.ts";

/** Moves the rows that came from a second table back into it, under the ids that they had there. */
export function separateStep(table: MetricsTable, entry: SchemaEntry, range: UnitedRange | null): Step {
  return {
    title: `make the table ${table.name} again, and move the rows that came from it back`,
    whole: true,
    run: (database) => {
      makeObject(database, entry);
      const side = hasSideTable(database);
      const filled = filledColumns(table, "e", side ? "m.metadata" : "NULL", formerId(range, "e.id"));
      const join = side ? `LEFT JOIN main.${SIDE_TABLE} AS m ON m.interaction_id = e.id ` : "";
      database.exec(
        `INSERT INTO main.${sqlName(table.name)} (${sqlNames(filled.map(([column]) => column))}) SELECT ${filled.map(([, value]) => value).join(", ")} FROM main.interactions AS e ${join}WHERE ${isUnited(range, "e.id")} ORDER BY e.id`,
      );
      // Nothing was deleted: triggers of the user do not fire.
      withoutTriggers(database, ["interactions", SIDE_TABLE], () => {
        if (side) database.exec(`DELETE FROM main.${SIDE_TABLE} WHERE ${isUnited(range, "interaction_id")}`);
        database.exec(`DELETE FROM main.interactions WHERE ${isUnited(range, "id")}`);
      });
    },
  };
}
