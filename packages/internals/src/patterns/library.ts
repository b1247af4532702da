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
    this.patterns.set(complete.id, complete);
    addContribution(this.agentContributions, agentId, complete.id);
    return complete;
  }

  /**
   * Takes a pattern out, and out of every agent's contributions. A database that is saved to keeps it, unless the mode is
   * `replace`.
   *
   * @returns True if there was one.
   */
  remove(id: string): boolean {
    for (const patternIds of this.agentContributions.values()) {
      const at = patternIds.indexOf(id);
      if (at !== -1) patternIds.splice(at, 1);
    }
    return this.patterns.delete(id);
  }

  /** The pattern with that id, or undefined. */
  get(id: string): Pattern | undefined {
    return this.patterns.get(id);
  }

  /** The patterns that an agent owns (`agent_id`), in library order. */
  byAgent(agentId: string): Pattern[] {
    return select(this, (pattern) => pattern.agent_id === agentId);
  }

  /** The patterns of a category (`pattern_type`), in library order. */
  byType(patternType: string): Pattern[] {
    return select(this, (pattern) => pattern.pattern_type === patternType);
  }

  /** The patterns that carry a tag, in library order. */
  byTag(tag: string): Pattern[] {
    return select(this, (pattern) => pattern.tags?.includes(tag) === true);
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
    const now = readClock(this.clock);
    pattern.usage_count += 1;
    if (success) pattern.success_count += 1;
    else pattern.failure_count += 1;
    pattern.last_used = documentTimestamp(now);
    this.pendingUsage.push({ pattern_id: patternId, agent_id: agentId, success, used_at: sqliteTimestamp(now) });
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
}

function select(library: PatternLibrary, wanted: (pattern: Pattern) => boolean): Pattern[] {
  return [...library.patterns.values()].filter(wanted);
}

function countOne(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
