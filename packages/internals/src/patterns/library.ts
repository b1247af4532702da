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
import { assertNoNearMiss, patternFault } from "./check_pattern.ts";
import { addContribution } from "./contributions.ts";
import { countLibrary, type LibraryCounts } from "./counts.ts";
import { completePattern, type Pattern, type PatternInput } from "./pattern.ts";

/** One use of a pattern that was not yet written to the table `pattern_usage` (specification, section 2.2). */
export interface PatternUsage {
  /** Identifier of the pattern. */
  pattern_id: string;
  /** Identifier of the agent that used the pattern; it need not own it. */
  agent_id: string;
  /** True if the use succeeded. */
  success: boolean;
  /** `YYYY-MM-DD HH:MM:SS`, UTC, as SQLite's `CURRENT_TIMESTAMP` writes it. */
  used_at: string;
}

/**
 * A collection of patterns and of the agents that contributed them (specification, section 2.4). Patterns keep the
 * order in which they were added. The class has no private members, so that a library created by one major line can be
 * used by the other.
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
  /** Identifiers of the patterns that each agent contributed, by agent identifier. */
  readonly agentContributions: Map<string, string[]> = new Map();
  /**
   * Recorded uses, oldest first. Saving to a database writes each of them once and removes it from the list; with the
   * mode `merge`, uses of patterns that the database does not have stay in the list.
   */
  readonly pendingUsage: PatternUsage[] = [];
  /** Source of `last_used` and `used_at`. */
  readonly clock: Clock;
  /** The source of this library, if `onInvalid` reported patterns there that the library does not have. */
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
   * Adds a pattern, or replaces the pattern with the same id without changing its position, and records the
   * contributing agent.
   *
   * @param agentId The contributing agent; also the owner if `pattern.agent_id` is absent.
   * @param pattern The fields of section 2.1; absent optional fields get the defaults.
   * @returns The stored pattern. Changes of its fields change the library.
   * @throws ValidationError that names the field; the library is unchanged.
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
    assertNoNearMiss(pattern);
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
   * Removes a pattern from the library and from every agent's contributions. A later save to a database keeps its
   * stored row, unless the mode is `replace`.
   *
   * @returns True if the library had the pattern.
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
   * Returns the pattern with an id, or undefined.
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
   * Returns the patterns that an agent owns (`agent_id`), in library order.
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
   * Returns the patterns of a category (`pattern_type`), in library order.
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
   * Returns the patterns with a tag, in library order.
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
   * Records one use: increases `usage_count` and `success_count` or `failure_count`, sets `last_used`, and queues a row
   * for the table `pattern_usage`. `confidence` is not changed, because only the caller sets it.
   *
   * @throws ValidationError for an unknown pattern, an invalid agent id, or a `success` that is not a boolean; the
   * library is unchanged.
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
   * Counts the patterns in total and by owner, category and tag.
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
