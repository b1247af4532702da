import type { Database } from "@perdura/internals/sqlite/open_database.js";
import type { StateDirectoryReport } from "../core/report.ts";
import { type EntryName, nameFromBytes, shownName } from "./entry_name.ts";
import type { StateReading } from "./read_state.ts";

/** How many odd states, and how many broken ones, a report names. */
const NAMED = 1000;

/** States with something to say about, of which only so many are named. */
interface Named {
  states: { file: string; reason: string }[];
  count: number;
}

/** What was counted. */
export interface StateCounts {
  ok: number;
  odd: Named;
  broken: Named;
}

/** Counts states for a report, which names only so many of those that are odd or broken, and says how many more there are. */
export class StateCounter {
  readonly counts: StateCounts = { ok: 0, odd: { states: [], count: 0 }, broken: { states: [], count: 0 } };

  add(file: EntryName, { status, reason }: Pick<StateReading, "status" | "reason">): void {
    if (status === "ok") this.counts.ok += 1;
    if (reason === null) return;
    const into = status === "broken" ? this.counts.broken : this.counts.odd;
    into.count += 1;
    if (into.states.length < NAMED) into.states.push({ file: shownName(file), reason });
  }

  /** Adds what was counted of the states behind those that were counted here. */
  addAll({ ok, odd, broken }: StateCounts): void {
    this.counts.ok += ok;
    for (const [into, from] of [
      [this.counts.odd, odd],
      [this.counts.broken, broken],
    ] as const) {
      into.count += from.count;
      into.states.push(...from.states.slice(0, NAMED - into.states.length));
    }
  }

  putInto(report: StateDirectoryReport): void {
    const { ok, odd, broken } = this.counts;
    report.states_ok = ok;
    report.states_odd = odd.states;
    report.states_broken = broken.states;
    for (const [{ count }, what] of [
      [odd, "with something odd inside"],
      [broken, "that cannot be read"],
    ] as const)
      if (count > NAMED) report.notes.push(`${count - NAMED} more states ${what} are not named here`);
  }
}

/** Counts the states as an archive has them. */
export function countArchived(report: StateDirectoryReport, archive: Database): void {
  const counter = new StateCounter();
  const rows = archive
    .prepare("SELECT CAST(file AS BLOB) AS file, status, reason FROM states ORDER BY file")
    .iterate() as IterableIterator<{ file: Buffer; status: "ok" | "broken"; reason: string | null }>;
  for (const { file, status, reason } of rows) counter.add(nameFromBytes(file), { status, reason });
  counter.putInto(report);
}
