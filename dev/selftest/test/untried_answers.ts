/** Why no tolerant implementation has an answer to an open question. */
type Reason =
  /** A statement of the level must excludes the answer. */
  | { must: string }
  /** Only a migration asks the question, and no case about migrations counts: none could be too strict. */
  | "migration"
  /** Habits change calls and answers of a line; this needs more. */
  | { habit: string };

/** The answers to open questions, other than our rulings, that no tolerant implementation has: `U-order: other`. */
export const UNTRIED: Readonly<Record<string, Reason>> = {
  "U-record-metric-table: apart": { must: "R-4.2/one-row" },
  "U-range: accepted": { must: "R-2.5/levels.range" },
  "U-foreign-objects: stale": { habit: "suppress triggers of the user inside the transaction of a save" },
  "U-saved-at-zone: other": { must: "R-2.4/saved-at" },
  "U-durability: buffered": { must: "R-4.2/one-row" },
  "U-state-in-16: left": "migration",
  "U-state-in-16: removed": "migration",
  "U-legacy-layouts: refused": "migration",
  "U-legacy-layouts: ignored": "migration",
  "U-pattern-type: closed": { must: "R-2.1/text" },
  "U-lifecycle: some": { must: "R-4.2/one-row" },
  "U-limits: some": { must: "R-8/sizes" },
  "U-metrics-migration: rewritten": "migration",
  "U-metrics-migration: other": "migration",
  "U-lost-levels: assumed": "migration",
  "U-lost-levels: dropped": "migration",
  "U-second-table: refused": "migration",
  "U-second-table: left": "migration",
  "U-patterns-migration: rewritten": "migration",
};
