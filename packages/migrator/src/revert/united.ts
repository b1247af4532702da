import type { Database } from "@perdura/internals/sqlite/open_database.js";
import { type UnitedRange, unitedIn } from "../record/united_rows.ts";
import { Stop } from "../core/stop.ts";

/** What a migration united, by numbers that are numbers: whoever can write to the file can write text there. */
export function unitedBy(database: Database, number: number): UnitedRange | null {
  const range = unitedIn(database, number);
  if (range === null || [range.first, range.last, range.idOffset].every(Number.isSafeInteger)) return range;
  throw new Stop(
    "refused",
    "The record of the rows that were united was changed, so that they cannot be told apart by it.",
  );
}

/** SQL that is true for an id of `interactions` whose row came from the second table. */
export function isUnited(range: UnitedRange | null, id: string): string {
  return range === null ? "false" : `${id} BETWEEN ${range.first + range.idOffset} AND ${range.last + range.idOffset}`;
}

/** SQL for the id that such a row had in the second table. */
export function formerId(range: UnitedRange | null, id: string): string {
  return range === null || range.idOffset === 0 ? id : `${id} - (${range.idOffset})`;
}
