import type { Finding } from "../inspect/findings.ts";

/** Where and what, without its weight. `wanted` must not hold data: findings with the same words are one kind. */
export type Difference = Pick<Finding, "at" | "wanted" | "got" | "cell" | "line" | "column">;

/** How many findings of one kind are told; the others are counted. */
const TOLD = { error: 20, remark: 3 } as const;

/** Gathers the findings about one file and keeps their number small, however large the file is. */
export class FindingList {
  readonly #all: Finding[] = [];
  readonly #kinds = new Map<string, { count: number; last: Finding }>();

  /** A stated requirement is broken. Without a requirement, the file breaks the format that it is written in. */
  error(requirement: string | undefined, difference: Difference): void {
    this.#add({ level: "error", ...(requirement === undefined ? {} : { requirement }), ...difference });
  }

  /** Allowed or left open by the specification, and refused or read differently by a ruling. */
  remark(requirement: string | undefined, difference: Difference): void {
    this.#add({ level: "remark", ...(requirement === undefined ? {} : { requirement }), ...difference });
  }

  /** Everything, errors first, in the order in which it was found. */
  all(): Finding[] {
    return [
      ...this.#all.filter(({ level }) => level === "error"),
      ...this.#all.filter(({ level }) => level === "remark"),
    ];
  }

  #add(finding: Finding & { level: "error" | "remark" }): void {
    const name = `${finding.level} ${finding.requirement ?? ""} ${finding.wanted}`;
    const kind = this.#kinds.get(name);
    if (kind && kind.count >= TOLD[finding.level]) {
      kind.last.more = (kind.last.more ?? 0) + 1;
      return;
    }
    this.#all.push(finding);
    this.#kinds.set(name, { count: (kind?.count ?? 0) + 1, last: finding });
  }
}

/** What was found in our own words: a report shows it without the quotes that a text from the file gets. */
export class Words {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toJSON(): string {
    return this.text;
  }
}

/** Something found that is told in words. */
export function words(text: string): Words {
  return new Words(text);
}
