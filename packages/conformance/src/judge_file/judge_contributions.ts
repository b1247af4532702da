import { isObject } from "../values/json_value.ts";
import type { JsonObject, JsonValue } from "../values/json_value.ts";
import { below } from "../values/pointer.ts";
import type { FindingList } from "./finding_list.ts";
import { idFault } from "./odd_text.ts";
import { words } from "./words.ts";

const REQUIREMENT = "R-2.4/agent-contributions";

/**
 * Judges `agent_contributions`. That it names patterns which exist, and every pattern under its owner, is not stated:
 * files of the field differ, and are read as they are.
 * @param ids the ids of all patterns; undefined where the file has no array of them.
 */
export function judgeContributions(
  contributions: JsonObject,
  patterns: JsonValue[],
  ids: Set<string> | undefined,
  list: FindingList,
): void {
  const named = new Map<string, Set<string>>();
  for (const [agent, contributed] of Object.entries(contributions)) {
    const at = below("/agent_contributions", agent);
    if (idFault(agent) !== undefined)
      list.error("U-text", {
        at,
        wanted: "an agent's id that is not empty and holds no NUL and no half of a surrogate pair",
        got: words(`${idFault(agent)}: ${JSON.stringify(agent)}`),
      });
    if (!Array.isArray(contributed)) {
      list.error(REQUIREMENT, { at, wanted: "an array of ids for each agent", got: contributed });
      continue;
    }
    named.set(agent, new Set());
    for (const [index, id] of contributed.entries()) {
      const place = below(at, index);
      if (typeof id !== "string")
        list.error(REQUIREMENT, { at: place, wanted: "the id of a pattern, a text", got: id });
      else if (ids && !ids.has(id))
        list.remark("U-contributions", { at: place, wanted: "the id of a pattern that the file holds", got: id });
      else named.get(agent)?.add(id);
    }
  }
  for (const [index, pattern] of patterns.entries()) {
    if (!isObject(pattern) || typeof pattern.id !== "string" || typeof pattern.agent_id !== "string") continue;
    if (!named.get(pattern.agent_id)?.has(pattern.id))
      list.remark("U-contributions", {
        at: below(below("/patterns", index), "agent_id"),
        wanted: "an owner whose contributions name the pattern",
        got: pattern.agent_id,
      });
  }
}
