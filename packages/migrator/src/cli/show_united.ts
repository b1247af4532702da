import { countText, numberText } from "@perdura/cli/quantities.js";
import { printable } from "@perdura/cli/terminal.js";
import type { UnitedRows } from "../core/report.ts";

/** Where the rows of a second table went, or would go. */
export function showUnited(united: UnitedRows | null, done: boolean): string[] {
  if (united === null) return [];
  const { table, rows, id_offset: offset, first_id: first, last_id: last } = united;
  const verb = done ? "united" : "to be united";
  const ids = first === null || last === null ? "" : `: ${newIds(first, last, offset)}`;
  return [`  ${verb}: ${countText(rows, "row")} of ${printable(table)} among those of interactions${ids}`];
}

function newIds(first: number, last: number, offset: number): string {
  if (offset === 0)
    return first === last
      ? `its id ${String(first)} stays`
      : `their ids, from ${String(first)} to ${String(last)}, stay`;
  const by = `${offset < 0 ? "less" : "plus"} ${numberText(Math.abs(offset))}`;
  // Ids are written without separators: they are names.
  if (first === last) return `its new id is ${String(first)}, the old one ${by}`;
  return `their new ids are ${String(first)} to ${String(last)}, the old ones ${by}`;
}
