import type { StatesSummary, StateSummary } from "./document.ts";

/** A state file, or the row of an archive. */
export interface ReadState extends StateSummary {
  /** False for a file that is not a valid state. */
  valid: boolean;
  /** The rest of its content, for comparisons: members without a field, or the checksum of a file that is not valid. */
  content: string | null;
}

/** Summarises the states of a directory or an archive; keeps the first `rows` in memory. */
export function summarizeStates(path: string, states: Iterable<ReadState>, rows: number): StatesSummary {
  const summary: StatesSummary = { path, states: 0, invalid: 0, avg_trust: null, top_states: [] };
  let [trust, trusted] = [0, 0];
  for (const { valid, content: _, ...state } of states) {
    summary.states += 1;
    if (!valid) summary.invalid += 1;
    if (state.trust_level !== null) {
      trust += state.trust_level;
      trusted += 1;
    }
    if (summary.top_states.length < rows) summary.top_states.push(state);
  }
  return { ...summary, avg_trust: trusted === 0 ? null : trust / trusted };
}
