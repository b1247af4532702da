import type { ValuePlace } from "@perdura/internals/json/value_places.js";
import { isPlainObject, pointerTo } from "@perdura/internals/json/values.js";
import { describe } from "@perdura/internals/text/describe.js";
import { identifierFault } from "@perdura/internals/text/identifiers.js";
import type { Resolution, Resolved } from "@perdura/internals/validity/decide_patterns.js";
import type { LibraryCode } from "@perdura/internals/validity/library_kinds.js";
import type { LibraryFindings } from "./examine_library.ts";
import { type Edit, type Range, removals } from "../core/splice.ts";
import type { LibraryDecisions } from "./decide_library.ts";

/** A problem of a library outside its patterns. */
export interface LibraryProblem {
  code: LibraryCode;
  pointer: string;
  shown: string;
  /** True if the decisions repair it. */
  solved: boolean;
}

/** Changes of a part of a library outside its patterns. */
export interface PartChanges {
  problems: LibraryProblem[];
  edits: Edit[];
  /** Number of values that are removed. */
  removed: number;
}

/** Repairs `agent_contributions`, and lets it follow patterns that get a new id. */
export function contributionChanges(
  { contributions, areContributionsSound, invalid }: LibraryFindings,
  resolution: Resolution<number>,
  decisions: LibraryDecisions,
): PartChanges {
  const changes: PartChanges = { problems: [], edits: [], removed: 0 };
  if (contributions === undefined || (areContributionsSound && !hasMoved(resolution.items))) return changes;
  const { value, places } = contributions;
  const isToken = typeof value === "number" && !Number.isFinite(value);
  if (value === null || isToken) return changes;
  const quarantines = decisions.invalidRows === "quarantine";
  if (!isPlainObject(value)) {
    changes.problems.push(wrongType("/agent_contributions", value, quarantines));
    if (quarantines) changes.edits.push({ start: contributions.start, end: contributions.end, text: "null" });
    changes.removed = quarantines ? 1 : 0;
    return changes;
  }
  const lists = listsOf(value, places);
  const ids = newIdsOf(resolution, lists, decisions.patternIds !== null, (id) => invalid.hasSound(id));
  const assigns = decisions.patternIds !== null;
  const given: string[] = [...resolution.agents.values()];
  const removed = new Set<string>();
  for (const list of lists) {
    const pointer = pointerTo("/agent_contributions", list.agent);
    if (identifierFault(list.agent) !== undefined) {
      const solved = assigns || quarantines;
      changes.problems.push({ code: "contributing_agent", pointer, shown: describe(list.agent), solved });
      if (assigns) {
        const name = resolution.agents.get(list.agent) ?? invalid.nameOfAgent(list.agent, given);
        given.push(name);
        for (const { nameStart, nameEnd } of [...list.earlier, list])
          changes.edits.push({ start: nameStart, end: nameEnd, text: JSON.stringify(name) });
      } else if (quarantines) {
        removed.add(list.agent);
        changes.removed += list.entries?.length ?? 1;
        continue;
      }
    }
    if (list.entries === undefined) {
      if (typeof list.value === "number" && !Number.isFinite(list.value)) continue;
      changes.problems.push(wrongType(pointer, list.value, quarantines));
      if (quarantines) changes.edits.push({ start: list.start, end: list.end, text: "[]" });
      changes.removed += quarantines ? 1 : 0;
    } else changeEntries(list as ListOfEntries, pointer, ids, { assigns, quarantines, decisions }, changes);
  }
  const all = places.filter(({ path }) => path.length === 1);
  const whole = all.map(({ nameStart, end }) => ({ start: nameStart, end }));
  for (const edit of removals(whole, (index) => removed.has(all[index]?.path[0] as string))) changes.edits.push(edit);
  return changes;
}

function wrongType(pointer: string, value: unknown, solved: boolean): LibraryProblem {
  return { code: "contributions_type", pointer, shown: describe(value), solved };
}

interface List extends Range {
  agent: string;
  nameStart: number;
  nameEnd: number;
  value: unknown;
  entries: readonly Range[] | undefined;
  /** Members with the same name, which this one replaces. */
  earlier: readonly ValuePlace[];
}

type ListOfEntries = List & { value: unknown[]; entries: readonly Range[] };

/** The lists of the agents; of a repeated name only the last is read. */
function listsOf(value: unknown, places: readonly ValuePlace[]): List[] {
  const lists = places.filter(({ path }) => path.length === 1);
  const entries = places.filter(({ path }) => path.length === 2);
  const named = Map.groupBy(lists, ({ path }) => path[0] as string);
  let at = 0;
  return lists.flatMap((list) => {
    const agent = list.path[0] as string;
    const own: Range[] = [];
    for (; at < entries.length && (entries[at] as Range).end <= list.end; at += 1) own.push(entries[at] as Range);
    const all = named.get(agent) ?? [];
    if (all.at(-1) !== list) return [];
    const held = (value as Record<string, unknown>)[agent];
    return [{ ...list, agent, value: held, entries: Array.isArray(held) ? own : undefined, earlier: all.slice(0, -1) }];
  });
}

interface Ways {
  assigns: boolean;
  quarantines: boolean;
  decisions: LibraryDecisions;
}

function changeEntries(list: ListOfEntries, pointer: string, ids: NewIds, ways: Ways, changes: PartChanges): void {
  const removed = new Set<number>();
  for (const [index, id] of list.value.entries()) {
    const { start, end } = list.entries[index] as Range;
    // A token has a decision of its own.
    if (typeof id === "number" && !Number.isFinite(id)) continue;
    const isInvalid = identifierFault(id) !== undefined;
    if (isInvalid)
      changes.problems.push({
        code: "contribution",
        pointer: pointerTo(pointer, index),
        shown: describe(id),
        solved: ways.assigns || ways.quarantines,
      });
    const [first, ...more] = ids.next(list.agent, id);
    if (first !== undefined) {
      if (first !== id) changes.edits.push({ start, end, text: JSON.stringify(first) });
      if (more.length > 0)
        changes.edits.push({ start: end, end, text: more.map((each) => `, ${JSON.stringify(each)}`).join("") });
    } else if (isInvalid && ways.assigns && typeof id === "number" && !ways.quarantines)
      changes.edits.push({ start, end, text: JSON.stringify(String(id)) });
    else if (isInvalid && (ways.assigns || ways.quarantines)) removed.add(index);
  }
  changes.removed += removed.size;
  for (const edit of removals(list.entries, (index) => removed.has(index))) changes.edits.push(edit);
}

/** True for a pattern that other data know by a former id. */
const isMoved = ({ readable, id, invalid }: Resolved<number>): boolean =>
  readable && id !== undefined && invalid.rawId !== undefined && id !== invalid.rawId;

function hasMoved(items: Iterable<Resolved<number>>): boolean {
  for (const item of items) if (isMoved(item)) return true;
  return false;
}

interface Moved {
  agent: unknown;
  id: string;
}

/** The ids that take the place of an entry of `agent_contributions`. */
interface NewIds {
  /** The ids for the next entry of an agent with this id; empty if no pattern has it. */
  next(agent: string, id: unknown): readonly string[];
}

/**
 * Distributes new ids over the entries with the former id: a pattern that keeps it has the first entry that no other
 * agent's pattern needs, the others follow, those of the same agent first. The last entry gets all that are left.
 */
function newIdsOf(
  { items }: Resolution<number>,
  lists: readonly List[],
  assigns: boolean,
  isSound: (id: string) => boolean,
): NewIds {
  const moved = new Map<unknown, Moved[]>();
  const kept = new Set<unknown>();
  for (const { readable, id, invalid } of assigns ? items : []) {
    if (!readable || id === undefined || invalid.rawId === undefined) continue;
    if (id === invalid.rawId) kept.add(id);
    else getList(moved, invalid.rawId).push({ agent: invalid.rawAgent, id });
  }
  const left = new Map<unknown, Map<string, number>>();
  for (const { agent, value } of moved.size === 0 ? [] : lists) {
    for (const id of Array.isArray(value) ? (value as unknown[]) : []) {
      if (!moved.has(id)) continue;
      let counts = left.get(id);
      if (counts === undefined) left.set(id, (counts = new Map()));
      counts.set(agent, (counts.get(agent) ?? 0) + 1);
    }
  }
  return {
    next(agent, id) {
      const waiting = moved.get(id);
      if (waiting === undefined) return typeof id === "string" && identifierFault(id) === undefined ? [id] : [];
      const counts = left.get(id) ?? new Map<string, number>();
      counts.set(agent, (counts.get(agent) ?? 1) - 1);
      const others = [...counts.values()].reduce((sum, count) => sum + count, 0);
      const own = waiting.findIndex((each) => String(each.agent) === agent);
      const isKept = typeof id === "string" && (kept.has(id) || isSound(id)) && !kept.has(KEPT + id);
      const given: string[] = [];
      const take = (index: number): void => {
        given.push(...waiting.splice(index, 1).map((each) => each.id));
      };
      if (isKept && (own === -1 || others === 0)) {
        kept.add(KEPT + id);
        given.push(id);
      } else if (waiting.length > 0) take(own === -1 ? 0 : own);
      else if (typeof id === "string" && identifierFault(id) === undefined) given.push(id);
      if (others === 0) while (waiting.length > 0) take(0);
      return given;
    },
  };
}

/** Marks an id whose pattern has an entry already. */
const KEPT = "\0";

function getList(map: Map<unknown, Moved[]>, key: unknown): Moved[] {
  let list = map.get(key);
  if (list === undefined) map.set(key, (list = []));
  return list;
}
