/**
 * How binding a requirement is: `must` is stated, `should` is implied by usage, `observe` is a question that the
 * specification leaves open (the `U-` ids), `extra` is hardening that is never scored.
 */
export type Level = "must" | "should" | "observe" | "extra";

/** One statement of the specification, or one ruling where it is silent. */
export interface Requirement {
  /** `R-2.1/confidence.default`, `U-order`, `X-…`; frozen in requirements.lock.json. */
  id: string;
  /** Section of the specification; for a ruling the section that is silent. */
  section: string;
  /** Title of the section. */
  title: string;
  level: Level;
  /** The statement in our own words; for a ruling our answer. */
  statement: string;
  /** Specification versions that it holds for; prereleases belong to the version they precede when the bound says `-0`. */
  versions: string;
  /** What the specification leaves open; of rulings only. */
  question?: string;
  /** The answers that we know of, by a short id, in words; of rulings only. */
  answers?: Record<string, string>;
  /** Our answer: one of the ids of `answers`. */
  ruling?: string;
  /** Why no case can check it, where none can. */
  unchecked?: string;
  /** Ids that it had before. */
  formerly?: string[];
}
