import { existsSync, statSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { EXIT } from "@perdura/cli/exit_codes.js";
import { valueOf } from "@perdura/cli/option_table.js";
import { countText } from "@perdura/cli/quantities.js";
import type { Result, Runner } from "@perdura/cli/run_program.js";
import { shownPath } from "@perdura/cli/shown_paths.js";
import { DecisionNeeded, UsageError } from "@perdura/cli/usage_error.js";
import { PatternLibrary } from "@perdura/internals/patterns/library.js";
import type { Pattern } from "@perdura/internals/patterns/pattern.js";
import { PatternPersistence } from "@perdura/internals/patterns/persistence.js";
import type { Arguments, Command, OptionName } from "../cli/table.ts";
import { withPatterns } from "../read/open_source.ts";
import { selected } from "./pattern_filters.ts";

type Run = Runner<Command, OptionName>;

/** Writes patterns to a file. */
export const exportPatterns: Run = (given) => copy(given, given.words[0] ?? "", given.words[1] ?? "");

/** Reads patterns from a file into a library or a database. */
export const importPatterns: Run = (given) => copy(given, given.words[0] ?? "", given.words[1] ?? "");

async function copy(given: Arguments, from: string, to: string): Promise<Result> {
  const source = await withPatterns(from, undefined, ({ path, library, invalid }) => {
    if (isSameFile(path, to)) throw new UsageError(`${shownPath(path)} is both the source and the target.`);
    return { path, invalid: invalid.length, patterns: selected(library.patterns.values(), given) };
  });
  const target = openTarget(to);
  const { known, invalid } = target;
  const added = source.patterns.filter(({ id }) => !known.has(id) && !invalid.has(id));
  const conflicts = source.patterns.filter(
    (pattern) => invalid.has(pattern.id) || isConflict(pattern, known.get(pattern.id)),
  );
  const duplicates = source.patterns.length - added.length - conflicts.length;
  const way = valueOf(given, "on-conflict") ?? "abort";
  if (conflicts.length > 0 && way === "abort") throw conflictError(to, conflicts);
  const replaced = way === "replace" ? conflicts : [];
  if (added.length + replaced.length > 0 || !existsSync(to)) target.write([...added, ...replaced]);
  const parts = [
    `${countText(added.length, "pattern")} added`,
    ...(replaced.length === 0 ? [] : [`${countText(replaced.length, "pattern")} replaced`]),
    ...(way === "keep" && conflicts.length > 0 ? [`${countText(conflicts.length, "other pattern")} kept`] : []),
    ...(duplicates === 0 ? [] : [`${countText(duplicates, "duplicate")} unchanged`]),
    ...(source.invalid === 0 ? [] : [`${countText(source.invalid, "invalid row")} of the source left out`]),
  ];
  const summary = `${shownPath(to)}: ${parts.join(", ")}.`;
  return {
    code: EXIT.done,
    summary,
    document: {
      source: source.path,
      target: to,
      added: added.length,
      replaced: replaced.length,
      kept: way === "keep" ? conflicts.map(({ id }) => id) : [],
      duplicates,
      invalid: source.invalid,
    },
    text: summary,
  };
}

function isConflict(pattern: Pattern, known: Pattern | undefined): boolean {
  return known !== undefined && !isDeepStrictEqual(pattern, known);
}

/** Maximum number of ids in a message. */
const SHOWN = 5;

function conflictError(to: string, conflicts: readonly Pattern[]): DecisionNeeded {
  const ids = conflicts.slice(0, SHOWN).map(({ id }) => JSON.stringify(id));
  const rest = conflicts.length > SHOWN ? ` and ${conflicts.length - SHOWN} more` : "";
  return new DecisionNeeded(
    `${shownPath(to)} has other patterns with the same ids: ${ids.join(", ")}${rest}. Nothing was written. Use --on-conflict keep or --on-conflict replace.`,
  );
}

/** A library that receives patterns. */
interface Target {
  known: ReadonlyMap<string, Pattern>;
  /** Ids of rows that are not patterns; a pattern with such an id would replace the row. */
  invalid: ReadonlySet<string | undefined>;
  /** Adds patterns, or replaces those with the same ids. */
  write(patterns: readonly Pattern[]): void;
}

function openTarget(path: string): Target {
  const exists = existsSync(path);
  if (/\.json$/i.test(path)) {
    // The whole document is written again, so that an invalid pattern would be lost: such a target is refused.
    const library = exists ? PatternPersistence.loadFromJson(path) : new PatternLibrary();
    return {
      known: library.patterns,
      invalid: new Set(),
      write: (patterns) => {
        for (const pattern of patterns) put(library, pattern);
        PatternPersistence.saveToJson(library, path);
      },
    };
  }
  const invalid = new Set<string | undefined>();
  const known = exists
    ? PatternPersistence.loadFromSqlite(path, { onInvalid: ({ id }) => invalid.add(id) }).patterns
    : new Map<string, Pattern>();
  return {
    known,
    invalid,
    write: (patterns) => {
      const library = new PatternLibrary();
      for (const pattern of patterns) put(library, pattern);
      PatternPersistence.saveToSqlite(library, path);
    },
  };
}

function put(library: PatternLibrary, pattern: Pattern): void {
  library.patterns.delete(pattern.id);
  library.contribute(pattern.agent_id, pattern);
}

function isSameFile(one: string, other: string): boolean {
  const [left, right] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false }));
  return left !== undefined && right !== undefined && left.ino === right.ino && left.dev === right.dev;
}
