import { ValidationError } from "../errors/errors.ts";
import { inspectJson } from "../json/values.ts";
import { describe } from "../text/describe.ts";
import { assertIdentifier } from "../text/identifiers.ts";
import { type Clock, documentTimestamp, sqliteTimestamp, systemClock } from "../text/timestamps.ts";
import { patternFault } from "./check_pattern.ts";
import { completePattern, type Pattern, type PatternInput } from "./pattern.ts";

/** One use of a pattern that waits to be written to the table `pattern_usage` (specification, section 2.2). */
export interface PatternUsage {
  pattern_id: string;
  agent_id: string;
  success: boolean;
  /** `YYYY-MM-DD HH:MM:SS`, UTC, as SQLite's `CURRENT_TIMESTAMP` writes it. */
  used_at: string;
}

/** How many patterns a library holds, in all and by group. */
export interface LibraryCounts {
  patterns: number;
  by_agent: Map<string, number>;
  by_type: Map<string, number>;
  by_tag: Map<string, number>;
  /** Recorded uses that no database holds yet. */
  pending_usage: number;
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
  readonly clock: Clock;

  /** @param options.clock Source of `last_used` and `used_at`; the system's clock by default. */
  constructor(options: { clock?: Clock | undefined } = {}) {
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
   * @throws ValidationError naming the field; the library stays as it was.
   */
  contribute(agentId: string, pattern: Omit<PatternInput, "agent_id"> & { agent_id?: string | undefined }): Pattern {
    assertIdentifier("agentId", agentId);
    if (typeof pattern !== "object" || pattern === null) {
      throw new ValidationError(`pattern: expected an object, got ${describe(pattern)}. The library is unchanged.`);
    }
    const complete = completePattern({ ...pattern, agent_id: pattern.agent_id ?? agentId });
    const fault = patternFault(complete);
    if (fault !== undefined) {
      throw new ValidationError(`pattern: ${fault.pointer}: ${fault.reason}. The library is unchanged.`, {
        pointer: fault.pointer,
      });
    }
    inspectJson(complete.context, "pattern: context");
    const isNew = !this.patterns.has(complete.id);
    this.patterns.set(complete.id, complete);
    const contributions = this.agentContributions.get(agentId);
    if (contributions === undefined) this.agentContributions.set(agentId, [complete.id]);
    // Looking through the list for each new pattern would make filling a library quadratic.
    else if (isNew || !contributions.includes(complete.id)) contributions.push(complete.id);
    return complete;
  }

  /** The pattern with that id, or undefined. */
  get(id: string): Pattern | undefined {
    return this.patterns.get(id);
  }

  /** The patterns that an agent owns (`agent_id`), in library order. */
  byAgent(agentId: string): Pattern[] {
    return this.select((pattern) => pattern.agent_id === agentId);
  }

  /** The patterns of a category (`pattern_type`), in library order. */
  byType(patternType: string): Pattern[] {
    return this.select((pattern) => pattern.pattern_type === patternType);
  }

  /** The patterns that carry a tag, in library order. */
  byTag(tag: string): Pattern[] {
    return this.select((pattern) => pattern.tags?.includes(tag) === true);
  }

  /**
   * Notes one use: raises `usage_count` and `success_count` or `failure_count`, sets `last_used`, and queues a row for
   * the table `pattern_usage`. `confidence` belongs to the caller and stays.
   *
   * @throws ValidationError for an unknown pattern, an unfit agent id or a success that is no boolean; nothing changes.
   */
  recordUsage(patternId: string, agentId: string, success: boolean): void {
    const pattern = this.patterns.get(patternId);
    if (pattern === undefined) {
      throw new ValidationError(
        `patternId: the library has no pattern ${describe(patternId)}. The library is unchanged.`,
      );
    }
    assertIdentifier("agentId", agentId);
    if (typeof success !== "boolean") {
      throw new ValidationError(`success: expected a boolean, got ${describe(success)}. The library is unchanged.`);
    }
    pattern.usage_count += 1;
    if (success) pattern.success_count += 1;
    else pattern.failure_count += 1;
    pattern.last_used = documentTimestamp(this.clock);
    this.pendingUsage.push({ pattern_id: patternId, agent_id: agentId, success, used_at: sqliteTimestamp(this.clock) });
  }

  /** Counts the patterns in all and by owner, category and tag. */
  counts(): LibraryCounts {
    const counts: LibraryCounts = {
      patterns: this.patterns.size,
      by_agent: new Map(),
      by_type: new Map(),
      by_tag: new Map(),
      pending_usage: this.pendingUsage.length,
    };
    for (const pattern of this.patterns.values()) {
      countOne(counts.by_agent, pattern.agent_id);
      countOne(counts.by_type, pattern.pattern_type);
      for (const tag of new Set(pattern.tags)) countOne(counts.by_tag, tag);
    }
    return counts;
  }

  select(wanted: (pattern: Pattern) => boolean): Pattern[] {
    return [...this.patterns.values()].filter(wanted);
  }
}

function countOne(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
