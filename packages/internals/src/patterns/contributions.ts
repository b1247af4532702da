import type { PatternLibrary } from "./library.ts";

/** As written where the file says so (ruling U-contributions), else from the owners of the patterns. */
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
