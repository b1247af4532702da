import type { StatesSummary, StateSummary } from "./document.ts";

/** A state file, or the row of an archive. */
export interface ReadState extends StateSummary {
  path: string;
  /** `unreadable`: the file could not be read, for the reason. */
  status: "valid" | "invalid" | "unreadable";
  /** The rest of its content, for comparisons: members without a field, or the checksum of a file that is not valid. */
  content: string | null;
}

/**
 * Summarises the states of a directory or an archive; keeps the first `rows` in memory.
 *
 * @param onUnreadable Called for each file that could not be read.
 */
export function summarizeStates(
  path: string,
  states: Iterable<ReadState>,
  rows: number,
  onUnreadable: (state: ReadState) => void = () => undefined,
): StatesSummary {
  const summary: StatesSummary = { path, states: 0, invalid: 0, unreadable: 0, avg_trust: null, top_states: [] };
  let [trust, trusted] = [0, 0];
  for (const read of states) {
    const { path: _path, status, content: _content, ...state } = read;
    summary.states += 1;
    if (status === "invalid") summary.invalid += 1;
    if (status === "unreadable") {
      summary.unreadable += 1;
      onUnreadable(read);
    }
    if (state.trust_level !== null) {
      trust += state.trust_level;
      trusted += 1;
    }
    if (summary.top_states.length < rows) summary.top_states.push(state);
  }
  return { ...summary, avg_trust: trusted === 0 ? null : trust / trusted };
}
