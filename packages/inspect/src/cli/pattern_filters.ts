import { valueOf, valuesOf } from "@perdura/cli/option_table.js";
import type { Pattern } from "@perdura/internals/patterns/pattern.js";
import type { Arguments } from "./table.ts";

/** The patterns that the options of a command select. */
export function selected(patterns: Iterable<Pattern>, given: Arguments): Pattern[] {
  const [agents, types, tags] = (["agent", "type", "tag"] as const).map((name) => valuesOf(given, name)) as [
    string[],
    string[],
    string[],
  ];
  const least = Number(valueOf(given, "min-confidence") ?? -Infinity);
  return [...patterns].filter(
    ({ agent_id, pattern_type, tags: own, confidence }) =>
      (agents.length === 0 || agents.includes(agent_id)) &&
      (types.length === 0 || types.includes(pattern_type)) &&
      tags.every((tag) => own?.includes(tag) === true) &&
      confidence >= least,
  );
}
