import type { NonFinite } from "../json/load_options.ts";
import { isPlainObject, isRawNumber } from "../json/values.ts";
import { toDouble } from "../json/exact_numbers.ts";
import { describe } from "../text/describe.ts";
import { identifierFault } from "../text/identifiers.ts";
import { TextTable } from "../text/text_table.ts";
import { NewNames, type ReservedIds, textOfId, withEncodedCharacters } from "./new_names.ts";
import { convertTimestamp, type TimestampRepair } from "./convert_timestamp.ts";
import { type Effect, effectsOn, type PatternCode } from "./pattern_kinds.ts";
import type { PatternProblem } from "./pattern_problems.ts";

/** Decisions that repair patterns. */
export interface PatternDecisions {
  nonFinite: NonFinite | null;
  timestamps: TimestampRepair | null;
  patternIds: "assign" | null;
}

/** All combinations of the decisions, those with fewer decisions first. */
export const ALL_DECISIONS: readonly PatternDecisions[] = ([null, "assign"] as const).flatMap((patternIds) =>
  ([null, "null", "text"] as const).flatMap((nonFinite) =>
    ([null, "utc", "drop-zone"] as const).map((timestamps) => ({ nonFinite, timestamps, patternIds })),
  ),
);

/** No decision was made. */
export const NO_DECISION: PatternDecisions = { nonFinite: null, timestamps: null, patternIds: null };

const SAMPLES = { nonFinite: "text", timestamps: "utc", patternIds: "assign" } as const;

/** A problem without large values. */
export interface KeptProblem {
  code: PatternCode;
  field: string | undefined;
  pointer: string;
  /** The value of an identifier, a timestamp or a token; otherwise undefined. */
  value: string | number | Uint8Array | null | undefined;
  /** The value for messages; undefined if it has no use there. */
  shown: string | undefined;
}

/** A pattern that version 16 does not read as it is. */
export interface JudgedPattern<Key> {
  key: Key;
  /** Its id if that can be an identifier. */
  id: string | undefined;
  /** Its id for messages. */
  shownId: string;
  /** Values by which contributions and usage refer to it. */
  rawId: unknown;
  rawAgent: unknown;
  problems: readonly KeptProblem[];
}

/** A value that replaces another. */
export interface Repair {
  field: string;
  pointer: string;
  value: string | null;
}

/** The outcome of a decision for one pattern. */
export interface Resolved<Key> {
  invalid: JudgedPattern<Key>;
  problems: readonly KeptProblem[];
  /** True if it is readable after the repairs. */
  readable: boolean;
  /** Its id after the repairs. */
  id: string | undefined;
  repairs: readonly Repair[];
}

/** The outcome of decisions for all patterns that need one. */
export interface Resolution<Key> {
  /** In the order in which they were added. Each iteration determines them again, so that they are not kept. */
  items: Iterable<Resolved<Key>>;
  /** Number of patterns that stay unreadable. */
  unreadable: number;
  /** Number of values that are changed. */
  changed: number;
  /** New names of agents, by the former value. */
  agents: ReadonlyMap<unknown, string>;
}

/**
 * Collects the patterns of one library or table and determines what decisions make of those that version 16 does not
 * read. Patterns without a problem keep their ids, also if an unreadable one comes first.
 */
export class InvalidPatterns<Key> {
  /** False if patterns cannot get other ids. */
  readonly assignsIds: boolean;
  readonly #invalid: JudgedPattern<Key>[] = [];
  readonly #ids = new TextTable();
  /** Ids of the patterns that need a decision. */
  readonly #invalidIds = new TextTable();
  #repeatsInvalidId = false;
  /** Each name once in memory: many patterns have it. */
  readonly #agents = new Map<string, string>();
  readonly #reserved: ReservedIds = { all: new TextTable(), exact: new TextTable() };
  readonly #problems = new SharedLists<KeptProblem>(({ code, field, pointer, value, shown }) =>
    value instanceof Uint8Array ? undefined : [code, field, pointer, typeof value, String(value), shown],
  );

  constructor({ assignsIds }: { assignsIds: boolean } = { assignsIds: true }) {
    this.assignsIds = assignsIds;
  }

  /** Number of patterns that need a decision. */
  get count(): number {
    return this.#invalid.length;
  }

  /** Adds a pattern without a problem of its own. Its id may occur for the second time. */
  addSound(key: Key, { id, agent_id: agent }: { id: string; agent_id: string }): void {
    const rawAgent = this.#knownAgent(agent);
    if (this.#ids.add(id)) return;
    this.#push({ key, id, shownId: id, rawId: id, rawAgent, problems: [] });
  }

  addInvalid(key: Key, pattern: unknown, problems: readonly PatternProblem[]): void {
    const { id, agent_id: agent } = isPlainObject(pattern) ? pattern : ({} as Record<string, unknown>);
    this.#push({
      key,
      id: typeof id === "string" && identifierFault(id) === undefined ? id : undefined,
      shownId: typeof id === "string" && id !== "" ? id : isPlainObject(pattern) ? describe(id) : "none",
      rawId: rawText(id),
      rawAgent: typeof agent === "string" ? this.#knownAgent(agent) : rawText(agent),
      problems: this.#problems.of(problems.map(kept)),
    });
  }

  #push(invalid: JudgedPattern<Key>): void {
    this.#invalid.push(invalid);
    if (invalid.id !== undefined && !this.#invalidIds.add(invalid.id)) this.#repeatsInvalidId = true;
  }

  #knownAgent(agent: string): string {
    return getOrMake(this.#agents, agent, () => agent);
  }

  /**
   * Names an id that other data refer to, so that no other pattern gets it.
   *
   * @param isExact False if these data refer to a number by its text.
   */
  reserve(id: string, isExact = false): void {
    this.#reserved.all.add(id);
    if (isExact) this.#reserved.exact.add(id);
  }

  /** Names an agent that other data refer to. */
  reserveAgent(agent: string): void {
    this.#knownAgent(agent);
  }

  /** True if a pattern without a problem has this id. */
  hasSound(id: string): boolean {
    return this.#ids.has(id);
  }

  /** True if a decision of this kind could change anything. */
  concerns(decision: keyof PatternDecisions): boolean {
    if (decision === "patternIds" && this.assignsIds && this.#mayRepeatIds()) return true;
    const [none, one] = [NO_DECISION, { ...NO_DECISION, [decision]: SAMPLES[decision] } as PatternDecisions];
    return this.#invalid.some(({ problems }) =>
      problems.some((problem) => this.#effectUnder(problem, one) !== this.#effectUnder(problem, none)),
    );
  }

  /** Repaired patterns can also have the id of another one, so ids of unsound patterns count. */
  #mayRepeatIds(): boolean {
    return this.#repeatsInvalidId || this.#invalid.some(({ id }) => id !== undefined && this.#ids.has(id));
  }

  /** Nothing may be added afterwards. */
  resolve(decisions: PatternDecisions): Resolution<Key> {
    const agents = new Map<unknown, string>();
    const items = { [Symbol.iterator]: () => this.#resolved(decisions, agents) };
    let [unreadable, changed] = [0, 0];
    for (const { readable, repairs } of items) {
      if (readable) changed += repairs.length;
      else unreadable += 1;
    }
    return { items, unreadable, changed, agents };
  }

  *#resolved(decisions: PatternDecisions, agents: Map<unknown, string>): Generator<Resolved<Key>> {
    const names = new NewNames({ sound: this.#ids, invalid: this.#invalidIds, reserved: this.#reserved });
    for (const invalid of this.#invalid) yield this.#resolveOne(invalid, decisions, names, agents);
  }

  #resolveOne(
    invalid: JudgedPattern<Key>,
    decisions: PatternDecisions,
    names: NewNames,
    agents: Map<unknown, string>,
  ): Resolved<Key> {
    const repairs: Repair[] = [];
    let problems = invalid.problems;
    let { id } = invalid;
    let isNew = false;
    let readable = true;
    for (const problem of problems) {
      const effect = this.#effectUnder(problem, decisions);
      const value = effect === undefined ? undefined : replacement(effect, problem, decisions);
      if (effect === undefined || value === undefined) readable = false;
      else if (effect === "id" && problem.field === "id") isNew = true;
      else if (effect === "id") repairs.push(repairOf(problem, this.#agentName(problem, agents)));
      else {
        repairs.push(repairOf(problem, value));
        if (problem.pointer === "/id") id = value ?? undefined;
      }
    }
    if (!readable) return { invalid, problems, readable, id, repairs };
    if (!isNew && id !== undefined && names.isTaken(id)) {
      const duplicate: KeptProblem = { code: "duplicate", field: "id", pointer: "/id", value: id, shown: describe(id) };
      problems = [...problems, duplicate];
      if (decisions.patternIds === null || !this.assignsIds) return { invalid, problems, readable: false, id, repairs };
      isNew = true;
    }
    const problem = problems.find(({ field, code }) => field === "id" && code !== "non_finite");
    if (isNew && problem !== undefined) {
      id = names.newId(problem);
      const at = repairs.findIndex(({ pointer }) => pointer === "/id");
      if (at === -1) repairs.push(repairOf(problem, id));
      else repairs[at] = repairOf(problem, id);
    }
    if (id !== undefined) names.take(id);
    return { invalid, problems, readable, id, repairs };
  }

  #effectUnder(problem: KeptProblem, decisions: PatternDecisions): Effect | undefined {
    const effect = effectUnder(problem, decisions);
    return effect === "id" && problem.field === "id" && !this.assignsIds ? undefined : effect;
  }

  /** The same agent gets the same name everywhere. */
  #agentName({ code, value }: KeptProblem, agents: Map<unknown, string>): string {
    const isOther = code === "number_as_id" || code === "blob_as_id";
    const key = code === "missing" ? "" : isOther ? textOfId(value) : value;
    // The text of a number or a blob is the same agent.
    if (isOther && key !== "") return getOrMake(agents, value, () => textOfId(value));
    return getOrMake(agents, key, () => this.nameOfAgent(key, [...agents.values()]));
  }

  /** A name for an agent whose identifier cannot be one. */
  nameOfAgent(key: unknown, given: readonly string[]): string {
    if (typeof key === "number") return String(key);
    const base = typeof key === "string" && key !== "" ? withEncodedCharacters(key) : "unknown";
    const isFree = (name: string): boolean => !this.#agents.has(name) && !given.includes(name);
    if (isFree(base)) return base;
    for (let number = 2; ; number += 1) if (isFree(`${base}-${number}`)) return `${base}-${number}`;
  }
}

/** Lists that many patterns have alike, each of which is kept once: a library can have the same problem everywhere. */
class SharedLists<Item> {
  readonly #lists = new Map<string, readonly Item[]>();
  readonly #keyOf: (item: Item) => readonly unknown[] | undefined;

  /** @param keyOf Tells items apart; undefined for one that is not shared. */
  constructor(keyOf: (item: Item) => readonly unknown[] | undefined) {
    this.#keyOf = keyOf;
  }

  of(list: readonly Item[]): readonly Item[] {
    const keys = list.map(this.#keyOf);
    if (keys.includes(undefined)) return list;
    const key = JSON.stringify(keys);
    const known = this.#lists.get(key);
    if (known === undefined && this.#lists.size < MOST_SHARED) this.#lists.set(key, list);
    return known ?? list;
  }
}

/** Others, such as lists with timestamps, differ in each pattern. */
const MOST_SHARED = 1000;

function getOrMake<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}

/** A number that a double cannot represent is known by its digits. */
function rawText(value: unknown): unknown {
  return isRawNumber(value) ? value.rawJSON : value;
}

/** Longest text that is kept. */
const LONGEST = 1000;

function kept({ code, field, pointer, value: given }: PatternProblem): KeptProblem {
  const isId = field === "id" || field === "agent_id";
  const value = isId ? rawText(given) : toDouble(given);
  const isSmall =
    value === null ||
    typeof value === "number" ||
    (typeof value === "string" && (isId || value.length <= LONGEST)) ||
    (value instanceof Uint8Array && isId);
  const shown =
    given === undefined || isPlainObject(given)
      ? undefined
      : describe(isRawNumber(given) ? Number(given.rawJSON) : given);
  return { code, field, pointer, value: isSmall ? (value as KeptProblem["value"]) : undefined, shown };
}

/** The effect of decisions on a problem; undefined without one. */
export function effectUnder(
  { code, pointer }: Pick<KeptProblem, "code" | "pointer">,
  decisions: PatternDecisions,
): Effect | undefined {
  const effects = effectsOn(code, pointer);
  const { nonFinite, timestamps, patternIds } = decisions;
  const tokens =
    nonFinite === "null" ? effects.nonFiniteNull : nonFinite === "text" ? effects.nonFiniteText : undefined;
  return (
    tokens ?? (timestamps === null ? undefined : effects.timestamps) ?? (patternIds === null ? undefined : effects.ids)
  );
}

function replacement(
  effect: Effect,
  { value }: KeptProblem,
  { timestamps }: PatternDecisions,
): string | null | undefined {
  switch (effect) {
    case "null":
      return null;
    case "text":
      return String(value);
    case "timestamp":
      return convertTimestamp(value, timestamps ?? "drop-zone")?.repaired;
    case "id":
      return "";
  }
}

function repairOf({ pointer, field }: KeptProblem, value: string | null): Repair {
  return { field: field ?? "", pointer, value };
}
