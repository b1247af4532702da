import { LARGE, type Workers } from "../io/child/workers.ts";
import type { HasSettings } from "../core/run.ts";
import { statSync } from "node:fs";
import { faultsOf } from "@perdura/internals/sqlite/faults.js";
import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { CheckRequest } from "../io/child/requests.ts";
import { Stop } from "../core/stop.ts";
import { DamagedDatabase } from "./damage.ts";

/** How many faults are named. */
const FAULTS = 3;

/** @throws Stop for a database with damaged pages. */
export function assertSound(database: Database): void {
  assertNoFaults(faultsIn(database));
}

/** Does what {@link assertSound} does, in another process where there is much to check, so that this one can go on meanwhile. */
export async function assertSoundMeanwhile(
  database: Database,
  place: Pick<CheckRequest, "path" | "access">,
  run: HasSettings & Workers,
): Promise<void> {
  if (statSync(place.path).size < LARGE) return assertSound(database);
  const request: CheckRequest = { ...place, busyTimeoutMs: run.settings.busyTimeoutMs, faults: FAULTS };
  const faults = run.checks.ask(request) as Promise<string[]>;
  // It is not needed any more while this database is changed.
  const found = await faults.finally(() => run.checks.rest()).catch(orHere(() => faultsIn(database)));
  assertNoFaults(found);
}

/** Whatever kept the other process from it, this one can do it too; unless nobody wants it any more. */
const orHere =
  (check: () => string[]) =>
  (error: unknown): string[] => {
    if (error instanceof Stop) throw error;
    return check();
  };

function faultsIn(database: Database): string[] {
  try {
    return faultsOf(database, FAULTS);
  } catch (error) {
    throw withCollation(error, database);
  }
}

const UNKNOWN_COLLATION = /^no such collation sequence: (.*)$/;

/** An application may give texts an order that SQLite alone does not know; then nobody else can look through its indexes. */
function withCollation(error: unknown, database: Database): unknown {
  const name = UNKNOWN_COLLATION.exec((error as Error).message)?.[1];
  if (name === undefined) return error;
  const users = database
    .prepare("SELECT type || ' ' || name FROM main.sqlite_schema WHERE sql LIKE '%collate%' || ? || '%'")
    .pluck()
    .all(name);
  return new Stop(
    "refused",
    `The collation ${name} of the ${users.join(" and the ") || "schema"} is defined by an application, and SQLite cannot look through the file without it. Drop what uses it, migrate, and make it again.`,
    error,
  );
}

function assertNoFaults(faults: readonly string[]): void {
  if (faults.length > 0)
    throw new DamagedDatabase(`The database is damaged (${faults.join("; ")}). Repair it first, or restore a copy.`);
}
