import type { MigrationRecord } from "../record/migration_record.ts";
import type { SchemaEntry } from "../layouts/catalog.ts";

/** What becomes of the objects of a database on the way back; tables that hold our own data are not among them. */
export interface Lineage {
  /** As they were before the migrations, and touched by nobody else since: there again, with the same text. */
  restore: SchemaEntry[];
  /** Made by a migration, and touched by nobody else since. */
  remove: SchemaEntry[];
  /** Made, changed or taken away by somebody else since: as they are, in words. */
  others: string[];
}

/** The schema at one moment, by type and name. */
type State = ReadonlyMap<string, SchemaEntry>;

/**
 * Follows every object through the migrations: before the first, after it, before the second and so on, until now. What
 * differs after a migration is its work; what differs between two of them, or since the last, is somebody else's.
 *
 * @param base Which migration, counted from 0, found the layout that the database goes back to: only up to there do the
 * texts name tables and columns as that layout has them.
 * @param ignored What is brought back by itself, as type and lower-case name.
 */
export function lineageOf(
  records: readonly MigrationRecord[],
  now: readonly SchemaEntry[],
  base: number,
  ignored: ReadonlySet<string>,
): Lineage {
  const states = [...records.flatMap(({ former, result }) => [former.objects, result.objects]), now].map(stateOf);
  const keys = new Set(states.flatMap((state) => [...state.keys()]));
  const lineage: Lineage = { restore: [], remove: [], others: [] };
  for (const key of keys) {
    const entries = states.map((state) => state.get(key));
    const known = entries.find((entry) => entry !== undefined);
    if (known === undefined || ignored.has(key) || known.name.startsWith("sqlite_")) continue;
    follow(entries, known, base * 2, lineage);
  }
  return lineage;
}

function stateOf(objects: readonly SchemaEntry[]): State {
  return new Map(objects.map((entry) => [`${entry.type} ${entry.name.toLowerCase()}`, entry]));
}

/** @param from Index of the state that the database goes back to. */
function follow(entries: (SchemaEntry | undefined)[], known: SchemaEntry, from: number, lineage: Lineage): void {
  const what = `the ${known.type} ${known.name}`;
  const [origin, now] = [entries[from], entries.at(-1)];
  const made = lastMade(entries, entries.length - 1);
  if (now === undefined) {
    const gone = entries.findIndex((entry, at) => at > from && entry === undefined);
    if (origin === undefined || !isByOthers(lastMade(entries, from))) return;
    if (isByOthers(gone) || isTouched(entries, from, gone))
      lineage.others.push(`${what} was dropped since, and stays away`);
    else lineage.restore.push(origin);
  } else if (isByOthers(made) && made > from) lineage.others.push(`${what} was made since, and stays`);
  else if (isTouched(entries, Math.max(from, made), entries.length))
    lineage.others.push(`${what} was changed since, and stays as it is now`);
  else if (!isByOthers(made)) lineage.remove.push(now);
  else if (origin !== undefined) lineage.restore.push(origin);
}

/** When that came to be which is there at a moment. */
function lastMade(entries: readonly (SchemaEntry | undefined)[], at: number): number {
  return entries.findLastIndex(
    (entry, index) => index <= at && entry !== undefined && entries[index - 1] === undefined,
  );
}

function isTouched(entries: readonly (SchemaEntry | undefined)[], after: number, before: number): boolean {
  return entries.some((entry, at) => at > after && at < before && isByOthers(at) && !isSame(entries[at - 1], entry));
}

/** States with an even index were found by a migration, the last one by us; the others a migration left. */
function isByOthers(index: number): boolean {
  return index % 2 === 0;
}

function isSame(one: SchemaEntry | undefined, other: SchemaEntry | undefined): boolean {
  return one?.sql === other?.sql && (one === undefined) === (other === undefined);
}
