import { isDeepStrictEqual } from "node:util";
import { numberText } from "@perdura/cli/quantities.js";
import { isPerduraError } from "@perdura/internals/errors/errors.js";
import type { Pattern } from "@perdura/internals/patterns/pattern.js";
import { compareRows } from "./compare_rows.ts";
import type { Contents, MetricsContents, PatternContents } from "./contents.ts";
import type { ComparedFact, ComparedItems, Comparison } from "./document.ts";
import { durationText, percentText } from "./figure_texts.ts";
import { ItemTally } from "./item_tally.ts";
import type { OpenSource, QuarantinedRow, SourceDatabase, StoredRow, StoredRows } from "./source.ts";
import type { ReadState } from "./summarize_states.ts";

/** Relative difference that is allowed between two means, because sums depend on the order of addition. */
const TOLERANCE = 1e-9;

/** Result of a comparison. */
export type ComparedContents = Pick<Comparison, "compared" | "facts" | "complete">;

/**
 * Compares every row, pattern and state of two targets, whose data must still be open. Figures of metrics are an overview:
 * the rows decide.
 */
export async function compareContents(before: Contents, after: Contents): Promise<ComparedContents> {
  const [compared, facts]: [ComparedItems[], ComparedFact[]] = [[], []];
  /** Compares one part, or adds the reason why its rows cannot be read. */
  const add = async (part: () => Promise<Part>): Promise<void> => {
    try {
      const found = await part();
      facts.push(...found.facts);
      compared.push(...found.compared);
    } catch (error) {
      if (!isPerduraError(error)) throw error;
      // The path tells the side.
      after.unreadable.push({ path: error.path ?? "", reason: error.reason });
    }
  };
  for (const [name, one, other] of pairs(before.metrics, after.metrics))
    await add(() => compareMetrics(named("metrics", name), one, other));
  for (const [name, one, other] of pairs(before.patterns, after.patterns)) {
    await add(async () => partOf(comparePatterns(named("patterns", name), one, other)));
    await add(() => compareUsage(named("patterns", name), one, other));
  }
  for (const [name, one, other] of pairs(before.states, after.states))
    await add(async () => partOf(compareStates(named("states", name), one, other)));
  facts.push(
    ...before.unreadable.map(({ path, reason }) => unreadableFact(path, reason, "")),
    ...after.unreadable.map(({ path, reason }) => unreadableFact(path, "", reason)),
  );
  return { compared, facts, complete: facts.every(({ result }) => result !== "missing" && result !== "changed") };
}

type Part = Pick<ComparedContents, "compared" | "facts">;

const partOf = (tally: ItemTally): Part => ({ compared: [tally.items], facts: tally.facts });

/** A fact about data that cannot be read, and therefore may be missing. */
function unreadableFact(path: string, before: string, after: string): ComparedFact {
  return { subject: path, fact: "cannot be read", before, after, result: "changed" };
}

function named(subject: string, name: string): string {
  return name === "" ? subject : `${subject} of ${name}`;
}

/** Items with the same names; a single item on each side is compared whatever its name. */
function pairs<Item>(
  before: Map<string, Item>,
  after: Map<string, Item>,
): [string, Item | undefined, Item | undefined][] {
  const [only, other] = [[...before], [...after]];
  if (only.length === 1 && other.length === 1) return [["", only[0]?.[1], other[0]?.[1]]];
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].toSorted().map((name) => [name, before.get(name), after.get(name)]);
}

/** Opens the databases of both sides; null for a side without one. */
function opening<Result>(
  before: { open: OpenSource | null } | undefined,
  after: { open: OpenSource | null } | undefined,
  use: (one: SourceDatabase | null, other: SourceDatabase | null) => Result | Promise<Result>,
): Promise<Result> {
  const opened = async (
    side: { open: OpenSource | null } | undefined,
    read: (source: SourceDatabase | null) => Result | Promise<Result>,
  ): Promise<Result> => (side?.open ? side.open(read) : read(null));
  return opened(before, (one) => opened(after, (other) => use(one, other)));
}

const NO_ROWS: StoredRows = { columns: [], read: () => [] };

/** Finds rows that are in quarantine, under their table and their id in it. */
function inQuarantine(rows: readonly QuarantinedRow[] = []): (row: StoredRow) => boolean {
  const keys = new Set(rows.map(({ table, id }) => JSON.stringify([table, id])));
  return ({ table, ownId }) => keys.size > 0 && keys.has(JSON.stringify([table, String(ownId)]));
}

async function compareMetrics(
  subject: string,
  before: MetricsContents | undefined,
  after: MetricsContents | undefined,
): Promise<Part> {
  const tally = await opening(before, after, async (one, other) => {
    const found = new ItemTally(subject, "row");
    const [rows, others] = [one?.metrics?.rows ?? NO_ROWS, other?.metrics?.rows ?? NO_ROWS];
    await compareRows(rows, others, inQuarantine(after?.quarantined), found);
    return found;
  });
  return { compared: [tally.items], facts: [...figures(subject, before, after, tally), ...tally.facts] };
}

type Figure = number | string | null | undefined;

/** An overview of the metrics. Figures of other rows differ: the rows or users that were compared say why. */
function figures(
  subject: string,
  before: MetricsContents | undefined,
  after: MetricsContents | undefined,
  { result, counts }: ItemTally,
): ComparedFact[] {
  const [one, other] = [before?.overview, after?.overview];
  // Another process may record between the reading of figures and of rows.
  const isMore = counts.added > 0 || (other?.operations ?? 0) > (one?.operations ?? 0);
  const isWorse = result === "missing" || result === "changed";
  const different = isWorse ? "changed" : isMore ? "added" : result === "same" ? "changed" : result;
  const fact = (
    name: string,
    left: Figure,
    right: Figure,
    show: (value: number | string) => string = String,
  ): ComparedFact => ({
    subject,
    fact: name,
    before: left === undefined || left === null ? "" : show(left),
    after: right === undefined || right === null ? "" : show(right),
    result: left === undefined ? "added" : right === undefined ? "missing" : isEqual(left, right) ? "same" : different,
  });
  const count = (value: number | string): string => numberText(Number(value));
  const levels = before?.hasLostLevels === false ? LEVELS : [];
  return [
    fact("operations", one?.operations, other?.operations, count),
    fact("users", one?.users, other?.users, count),
    fact("success rate", one?.success_rate, other?.success_rate, (value) => percentText(Number(value))),
    fact("mean response time", one?.avg_response_time_ms, other?.avg_response_time_ms, (value) =>
      durationText(Number(value)),
    ),
    fact("first use", one?.first_use, other?.first_use),
    fact("last use", one?.last_use, other?.last_use),
    ...levels.map((name, index) => fact(`operations at level ${index + 1}`, one?.[name], other?.[name], count)),
  ];
}

const LEVELS = ["level_1_count", "level_2_count", "level_3_count", "level_4_count", "level_5_count"] as const;

function isEqual(left: number | string | null, right: number | string | null | undefined): boolean {
  if (typeof left !== "number" || typeof right !== "number") return left === right;
  return left === right || Math.abs(left - right) <= TOLERANCE * Math.max(Math.abs(left), Math.abs(right));
}

function comparePatterns(
  subject: string,
  before: PatternContents | undefined,
  after: PatternContents | undefined,
): ItemTally {
  return compareItems<Pattern | null>(
    new ItemTally(subject, "pattern"),
    before?.patterns ?? new Map(),
    after?.patterns ?? new Map(),
    (one, other, id) => {
      if (other === undefined) return after?.quarantined.has(id) === true ? "quarantined" : undefined;
      // A migration may have repaired what was not a pattern.
      return one === null || [one, before?.asText.get(id)].some((each) => isDeepStrictEqual(each, other))
        ? "same"
        : undefined;
    },
  );
}

/** Compares the rows of `pattern_usage`. A document has none. */
function compareUsage(
  subject: string,
  before: PatternContents | undefined,
  after: PatternContents | undefined,
): Promise<Part> {
  return opening(before, after, async (one, other) => {
    const tally = new ItemTally(subject, "usage row");
    const [rows, others] = [one?.usage ?? NO_ROWS, other?.usage ?? NO_ROWS];
    await compareRows(rows, others, inQuarantine(after?.quarantinedRows), tally);
    // Most libraries have no such rows.
    return tally.items.before + tally.counts.added === 0 ? { compared: [], facts: [] } : partOf(tally);
  });
}

function compareStates(
  subject: string,
  before: Map<string, ReadState> = new Map(),
  after: Map<string, ReadState> = new Map(),
): ItemTally {
  return compareItems(new ItemTally(subject, "state"), before, after, (one, other) =>
    other !== undefined && isDeepStrictEqual(contentOf(one), contentOf(other)) ? "same" : undefined,
  );
}

/** A state without its place, and without the reason, which may name it. */
function contentOf({ path: _path, reason: _reason, ...content }: ReadState): object {
  return content;
}

/** @param judge Returns undefined for an item that differs or is missing. */
function compareItems<Item>(
  tally: ItemTally,
  before: ReadonlyMap<string, Item>,
  after: ReadonlyMap<string, Item>,
  judge: (before: Item, after: Item | undefined, name: string) => "same" | "added" | "quarantined" | undefined,
): ItemTally {
  const words = { quarantined: "in quarantine", missing: "", changed: "different", added: "more", same: "" };
  for (const [name, item] of before) {
    const other = after.get(name);
    const result = judge(item, other, name) ?? (other === undefined ? "missing" : "changed");
    tally.add(result, () => [name, "present", words[result]]);
  }
  for (const name of after.keys()) if (!before.has(name)) tally.add("added", () => [name, "", "present"]);
  return tally;
}
