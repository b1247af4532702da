import type { PatternLibrary } from "./library.ts";

/**
 * Takes the contributions from the document (ruling U-contributions); if it has none, derives them from the owners of
 * the patterns.
 */
export function fillContributions(library: PatternLibrary, written: Record<string, string[]> | undefined): void {
  if (written === undefined) deriveContributions(library);
  else for (const [agentId, patternIds] of Object.entries(written)) library.agentContributions.set(agentId, patternIds);
}

/** Lists each pattern under the agent that owns it, in library order. */
export function deriveContributions(library: PatternLibrary): void {
  for (const pattern of library.patterns.values()) {
    const patternIds = library.agentContributions.get(pattern.agent_id);
    if (patternIds === undefined) library.agentContributions.set(pattern.agent_id, [pattern.id]);
    else patternIds.push(pattern.id);
  }
}

/** Members of each list of contributions, so that adding one does not search the list. */
const members = new WeakMap<string[], Set<string>>();

/**
 * Records that an agent contributed a pattern, at most once. If the caller has changed a list, its members are read
 * again.
 */
export function addContribution(contributions: Map<string, string[]>, agentId: string, patternId: string): void {
  let list = contributions.get(agentId);
  if (list === undefined) contributions.set(agentId, (list = []));
  let known = members.get(list);
  if (known === undefined || known.size !== list.length) members.set(list, (known = new Set(list)));
  if (known.has(patternId)) return;
  known.add(patternId);
  list.push(patternId);
}
