import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { packageRoot } from "../package_root.ts";
import { violations } from "../values/schemas.ts";

/**
 * Weight of a requirement: `must` is stated, `should` is implied by usage, `observe` is a question that the
 * specification leaves open (the `U-` ids), `extra` is hardening that is never scored.
 */
export type Level = "must" | "should" | "observe" | "extra";

/** One statement of the specification, or one ruling on a point where it is silent. */
export interface Requirement {
  /** `R-2.1/confidence.default`, `U-order`, `X-…`; frozen in requirements.lock.json. */
  id: string;
  /** Section of the specification; for a ruling the section that is silent. */
  section: string;
  /** Title of the section. */
  title: string;
  level: Level;
  /** The statement in our own words; for a ruling, our answer. */
  statement: string;
  /**
   * Specification versions that it holds for; prereleases belong to the version that they precede if the bound ends
   * with `-0`.
   */
  versions: string;
  /** The open question; for rulings only. */
  question?: string;
  /** Known answers in words, by short ids; for rulings only. */
  answers?: Record<string, string>;
  /** Our answer: one of the ids of `answers`. */
  ruling?: string;
  /** Reason that no case can check it. */
  unchecked?: string;
}

interface RequirementsFile {
  section: string;
  title: string;
  requirements: (Omit<Requirement, "section" | "title" | "versions"> & { section?: string; versions?: string })[];
}

/** Titles of sections without a file of their own, which have open questions only. */
const TITLES: Readonly<Record<string, string>> = {
  "1": "What the service does",
  "2.1": "Pattern record",
  "2.2": "Pattern usage record",
  "2.4": "Pattern library file",
  "2.5": "Interaction record",
  "2.6": "User statistics",
  "2.8": "Collaboration state",
  "3": "States and transitions",
  "4.1": "PatternPersistence",
  "4.2": "MetricsCollector",
  "4.3": "MetricsCollector before 16.0.0",
  "4.4": "StateManager",
  "4.5": "Configuration fields",
  "5": "Authentication",
  "6": "Events",
  "7": "Errors",
  "8": "Limits",
  "9": "Versioning",
};

/**
 * Loads all requirements, in the order of the section files.
 * @param isChecked true for files that were checked when the package was made.
 * @throws {Error} when a file breaks `schemas/requirements.schema.json` or two rows have one id.
 */
export function loadRequirements(
  folder: string = join(packageRoot(), "requirements"),
  isChecked = false,
): Map<string, Requirement> {
  const rows = new Map<string, Requirement>();
  for (const name of readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .toSorted()) {
    const file = JSON.parse(readFileSync(join(folder, name), "utf8")) as RequirementsFile;
    const faults = isChecked ? [] : violations("requirements", file);
    if (faults.length > 0) throw new Error(`requirements/${name}: ${faults.join("; ")}`);
    for (const row of file.requirements) {
      if (rows.has(row.id)) throw new Error(`requirements/${name}: the id ${row.id} occurs twice`);
      if (row.answers && !Object.hasOwn(row.answers, row.ruling ?? ""))
        throw new Error(`requirements/${name}: the ruling of ${row.id} is not one of its answers`);
      const section = row.section ?? file.section;
      rows.set(row.id, { ...row, section, title: TITLES[section] ?? file.title, versions: row.versions ?? "*" });
    }
  }
  return rows;
}
