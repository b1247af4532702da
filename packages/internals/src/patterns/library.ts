import { ValidationError } from "../errors/errors.ts";
import { inspectJson } from "../json/values.ts";
import { describe } from "../text/describe.ts";
import { assertIdentifier } from "../text/identifiers.ts";
import { assertOptions } from "../text/options.ts";
import {
  assertClock,
  type Clock,
  documentTimestamp,
  readClock,
  sqliteTimestamp,
  systemClock,
} from "../text/timestamps.ts";
import { patternFault } from "./check_pattern.ts";
import { addContribution } from "./contributions.ts";
import { countLibrary, type LibraryCounts } from "./counts.ts";
import { completePattern, type Pattern, type PatternInput } from "./pattern.ts";

/** One use of a pattern that waits to be written to the table `pattern_usage` (specification, section 2.2). */
export interface PatternUsage {
  /** Identifier of the pattern. */
  pattern_id: string;
  /** Identifier of the agent that used it, which need not be its owner. */
  agent_id: string;
  /** True if the use succeeded. */
  success: boolean;
  /** `YYYY-MM-DD HH:MM:SS`, UTC, as SQLite's `CURRENT_TIMESTAMP` writes it. */
  used_at: string;
}

/**
 * A collection of patterns and of who contributed them (specification, section 2.4). Patterns keep the order in which
 * they came. The class has no private parts: a library made by one major line is a library for the other.
 *
 * @example
 * ```ts
 * const library = new PatternLibrary();
 * library.contribute("agent-1", { id: "p1", pattern_type: "sequential", name: "Retry once" });
 * library.recordUsage("p1", "agent-2", true);
 * console.log(library.size, library.get("p1")?.usage_count); // 1 1
 * ```
 */
export class PatternLibrary {
  /** Patterns by identifier, in insertion order; its `size` is the specification's `len()`. */
  readonly patterns: Map<string, Pattern> = new Map();
  /** Agent identifier to the identifiers of the patterns that it contributed. */
  readonly agentContributions: Map<string, string[]> = new Map();
  /** Recorded uses, oldest first; saving to SQLite writes each of them once and empties the list. */
  readonly pendingUsage: PatternUsage[] = [];
  /** Source of `last_used` and `used_at`. */
  readonly clock: Clock;
  /** The source of this library, if `onInvalid` reported patterns there that the library lacks. */
  incompleteSource: string | undefined = undefined;

  /** @param options.clock Source of `last_used` and `used_at`; the system's clock by default. */
  constructor(options: { clock?: Clock | undefined } = {}) {
    assertOptions("options", options, ["clock"]);
    assertClock(options.clock);
    this.clock = options.clock ?? systemClock;
  }

  /** Number of patterns. */
  get size(): number {
    return this.patterns.size;
  }

  /**
   * Adds a pattern, or replaces the one with the same id in its place, and notes who contributed it.
   *
   * @param agentId The contributing agent; also the owner when `pattern.agent_id` is absent.
   * @param pattern The fields of section 2.1; absent optional fields get the defaults.
   * @returns The stored pattern: change its fields to change the library.
   * @throws ValidationError naming the field; the library stays unchanged.
   *
   * @example
   * ```ts
   * const library = new PatternLibrary();
   * const pattern = library.contribute("agent-1", { id: "p1", pattern_type: "sequential", name: "Retry once" });
   * pattern.confidence = 0.9;
   * console.log(library.get("p1")?.confidence, library.agentContributions.get("agent-1")); // 0.9 [ 'p1' ]
   * ```
   */
  contribute(agentId: string, pattern: Omit<PatternInput, "agent_id"> & { agent_id?: string | undefined }): Pattern {
    assertIdentifier("agentId", agentId);
    if (typeof pattern !== "object" || pattern === null) {
      throw new ValidationError(`expected an object, got ${describe(pattern)}. The library is unchanged.`, {
        argument: "pattern",
      });
    }
    const complete = completePattern({ ...pattern, agent_id: pattern.agent_id ?? agentId });
    const fault = patternFault(complete);
    if (fault !== undefined) {
      throw new ValidationError(`${fault.pointer}: ${fault.reason}. The library is unchanged.`, {
        argument: "pattern",
        pointer: fault.pointer,
      });
    }
    inspectJson(complete.context, "pattern: context", "pattern");
    this.patterns.set(complete.id, complete);
    addContribution(this.agentContributions, agentId, complete.id);
    return complete;
  }

  /**
   * Takes a pattern out, and out of every agent's contributions. A database that is saved to keeps it, unless the mode is
   * `replace`.
   *
   * @returns True if there was one.
   *
   * @example
   * ```ts
   * const library = new PatternLibrary();
   * library.contribute("agent-1", { id: "p1", pattern_type: "sequential", name: "Retry once", tags: ["api"] });
   * console.log(library.remove("p1"), library.size); // true 0
   * ```
   */
  remove(id: string): boolean {
    for (const patternIds of this.agentContributions.values()) {
      const at = patternIds.indexOf(id);
      if (at !== -1) patternIds.splice(at, 1);
    }
    return this.patterns.delete(id);
  }

  /**
   * The pattern with that id, or undefined.
   *
   * @example
   * ```ts
   * const library = new PatternLibrary();
   * library.contribute("agent-1", { id: "p1", pattern_type: "sequential", name: "Retry once", tags: ["api"] });
   * console.log(library.get("p1")?.name, library.get("p2")); // Retry once undefined
   * ```
   */
  get(id: string): Pattern | undefined {
    return this.patterns.get(id);
  }

  /**
   * The patterns that an agent owns (`agent_id`), in library order.
   *
   * @example
   * ```ts
   * const library = new PatternLibrary();
   * library.contribute("agent-1", { id: "p1", pattern_type: "sequential", name: "Retry once", tags: ["api"] });
   * console.log(library.byAgent("agent-1").length); // 1
   * ```
   */
  byAgent(agentId: string): Pattern[] {
    return select(this, (pattern) => pattern.agent_id === agentId);
  }

  /**
   * The patterns of a category (`pattern_type`), in library order.
   *
   * @example
   * ```ts
   * const library = new PatternLibrary();
   * library.contribute("agent-1", { id: "p1", pattern_type: "sequential", name: "Retry once", tags: ["api"] });
   * console.log(library.byType("sequential").length); // 1
   * ```
   */
  byType(patternType: string): Pattern[] {
    return select(this, (pattern) => pattern.pattern_type === patternType);
  }

  /**
   * The patterns that carry a tag, in library order.
   *
   * @example
   * ```ts
   * const library = new PatternLibrary();
   * library.contribute("agent-1", { id: "p1", pattern_type: "sequential", name: "Retry once", tags: ["api"] });
   * console.log(library.byTag("api").length, library.byTag("db").length); // 1 0
   * ```
   */
  byTag(tag: string): Pattern[] {
    return select(this, (pattern) => pattern.tags?.includes(tag) === true);
  }

  /**
   * Notes one use: raises `usage_count` and `success_count` or `failure_count`, sets `last_used`, and queues a row for
   * the table `pattern_usage`. `confidence` belongs to the caller and stays.
   *
   * @throws ValidationError for an unknown pattern, an unfit agent id or a success that is not a boolean; nothing changes.
   *
   * @example
   * ```ts
   * const library = new PatternLibrary();
   * library.contribute("agent-1", { id: "p1", pattern_type: "sequential", name: "Retry once", tags: ["api"] });
   * library.recordUsage("p1", "agent-2", false);
   * console.log(library.get("p1")?.failure_count, library.pendingUsage.length); // 1 1
   * ```
   */
  recordUsage(patternId: string, agentId: string, success: boolean): void {
    const pattern = this.patterns.get(patternId);
    if (pattern === undefined) {
      throw new ValidationError(`the library has no pattern ${describe(patternId)}. The library is unchanged.`, {
        argument: "patternId",
      });
    }
    assertIdentifier("agentId", agentId);
    if (typeof success !== "boolean") {
      throw new ValidationError(`expected a boolean, got ${describe(success)}. The library is unchanged.`, {
        argument: "success",
      });
    }
    const now = readClock(this.clock);
    pattern.usage_count += 1;
    if (success) pattern.success_count += 1;
    else pattern.failure_count += 1;
    pattern.last_used = documentTimestamp(now);
    this.pendingUsage.push({ pattern_id: patternId, agent_id: agentId, success, used_at: sqliteTimestamp(now) });
  }

  /**
   * Counts the patterns in all and by owner, category and tag.
   *
   * @example
   * ```ts
   * const library = new PatternLibrary();
   * library.contribute("agent-1", { id: "p1", pattern_type: "sequential", name: "Retry once", tags: ["api"] });
   * console.log(library.counts().by_tag.get("api")); // 1
   * ```
   */
  counts(): LibraryCounts {
    return countLibrary(this);
  }
}

function select(library: PatternLibrary, wanted: (pattern: Pattern) => boolean): Pattern[] {
  return [...library.patterns.values()].filter(wanted);
}
