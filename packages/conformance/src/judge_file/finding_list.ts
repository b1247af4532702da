import type { Finding } from "../inspect/findings.ts";

/** A finding without its level. `wanted` must not contain data: findings with the same text are one kind. */
export type Difference = Pick<Finding, "at" | "wanted" | "got" | "cell" | "line" | "column">;

/** Number of findings of one kind that are listed; the others are counted. */
const MAX_LISTED = { error: 20, remark: 3 } as const;

/** Collects the findings about one file and limits their number, however large the file is. */
export class FindingList {
  readonly #all: Finding[] = [];
  readonly #judged = new Set<string>();
  readonly #kinds = new Map<string, { count: number; last: Finding }>();

  /**
   * Adds a breach of a stated requirement. Without a requirement, the file breaks the format in which it is written.
   */
  error(requirement: string | undefined, difference: Difference): void {
    this.#add({ level: "error", ...(requirement === undefined ? {} : { requirement }), ...difference });
  }

  /** Adds a value that the specification allows or leaves open, and that a ruling refuses or reads differently. */
  remark(requirement: string | undefined, difference: Difference): void {
    this.#add({ level: "remark", ...(requirement === undefined ? {} : { requirement }), ...difference });
  }

  /** Notes that a requirement was judged, or that its judgement is not complete. */
  judged(requirement: string, isComplete = true): void {
    if (isComplete) this.#judged.add(requirement);
    else this.#judged.delete(requirement);
  }

  /** True if a requirement was judged, with or without findings. */
  isJudged(requirement: string): boolean {
    return this.#judged.has(requirement);
  }

  /** All findings, errors first, each group in the order of discovery. */
  all(): Finding[] {
    return [
      ...this.#all.filter(({ level }) => level === "error"),
      ...this.#all.filter(({ level }) => level === "remark"),
    ];
  }

  #add(finding: Finding & { level: "error" | "remark" }): void {
    const name = `${finding.level} ${finding.requirement ?? ""} ${finding.wanted}`;
    const kind = this.#kinds.get(name);
    if (kind && kind.count >= MAX_LISTED[finding.level]) {
      kind.last.more = (kind.last.more ?? 0) + 1;
      return;
    }
    this.#all.push(finding);
    this.#kinds.set(name, { count: (kind?.count ?? 0) + 1, last: finding });
  }
}
