import { statSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { EXIT } from "@perdura/cli/exit_codes.js";
import { valueOf } from "@perdura/cli/option_table.js";
import { countText } from "@perdura/cli/quantities.js";
import type { Result, Runner } from "@perdura/cli/run_program.js";
import { shownPath } from "@perdura/cli/shown_paths.js";
import { DecisionNeeded, UsageError } from "@perdura/cli/usage_error.js";
import { accessOf } from "@perdura/internals/files/common_access.js";
import type { Pattern } from "@perdura/internals/patterns/pattern.js";
import { isAddress } from "@perdura/internals/text/addresses.js";
import type { Arguments, Command, OptionName } from "./table.ts";
import { withPatterns } from "./open_source.ts";
import { selected } from "./pattern_filters.ts";
import { openTarget, type PatternTarget } from "./pattern_target.ts";

type Run = Runner<Command, OptionName>;

/** Copies patterns of one library into another one, which is created if it is missing. */
export const copyPatterns: Run = async (given) => {
  const [, to = ""] = given.words;
  const source = await withPatterns(given, undefined, ({ path, library, invalid }) => {
    if (isSameFile(path, to)) throw new UsageError(`${shownPath(path)} is both the source and the target.`);
    return {
      path,
      access: isAddress(path) ? undefined : accessOf([path]),
      invalid: invalid.length,
      patterns: selected(library.patterns.values(), given),
    };
  });
  const target = await openTarget(to, valueOf(given, "schema"), source.access);
  try {
    return await copyInto(target, source, given);
  } finally {
    await target.close();
  }
};

/** Patterns to copy. */
interface Selected {
  path: string;
  /** Number of rows of the source that are not patterns. */
  invalid: number;
  patterns: Pattern[];
}

async function copyInto(target: PatternTarget, source: Selected, given: Arguments): Promise<Result> {
  const { known, invalid, place } = target;
  const added = source.patterns.filter(({ id }) => known?.has(id) !== true && !invalid.has(id));
  const conflicts = source.patterns.filter(
    (pattern) => invalid.has(pattern.id) || isConflict(pattern, known?.get(pattern.id)),
  );
  const duplicates = source.patterns.length - added.length - conflicts.length;
  const way = valueOf(given, "on-conflict") ?? "abort";
  if (conflicts.length > 0 && way === "abort") throw conflictError(place, conflicts);
  const replaced = way === "replace" ? conflicts : [];
  if (added.length + replaced.length > 0 || known === undefined) await target.write([...added, ...replaced]);
  const parts = [
    `${countText(added.length, "pattern")} added`,
    ...(replaced.length === 0 ? [] : [`${countText(replaced.length, "pattern")} replaced`]),
    ...(way === "keep" && conflicts.length > 0 ? [`${countText(conflicts.length, "other pattern")} kept`] : []),
    ...(duplicates === 0 ? [] : [`${countText(duplicates, "duplicate")} unchanged`]),
    ...(source.invalid === 0 ? [] : [`${countText(source.invalid, "invalid row")} of the source left out`]),
  ];
  const summary = `${shownPath(place)}: ${parts.join(", ")}.`;
  return {
    code: EXIT.done,
    summary,
    document: {
      source: source.path,
      target: place,
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

function conflictError(place: string, conflicts: readonly Pattern[]): DecisionNeeded {
  const ids = conflicts.slice(0, SHOWN).map(({ id }) => JSON.stringify(id));
  const rest = conflicts.length > SHOWN ? ` and ${conflicts.length - SHOWN} more` : "";
  return new DecisionNeeded(
    `${shownPath(place)} has other patterns with the same ids: ${ids.join(", ")}${rest}. Nothing was written. Use --on-conflict keep or --on-conflict replace.`,
  );
}

function isSameFile(one: string, other: string): boolean {
  const [left, right] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false }));
  return left !== undefined && right !== undefined && left.ino === right.ino && left.dev === right.dev;
}
