import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { layOutStates } from "../../../fixtures/lay_out.ts";
import { fixture } from "../../../fixtures/paths.ts";

/** The metrics databases of the demonstration: file, layout, and table of interactions. */
export const METRICS = [
  { file: "metrics.db", source: ["legacy", "field-a.db"], layout: "field layout", table: "metrics" },
  {
    file: "archive/metrics.db",
    source: ["legacy", "field-a-invalid.db"],
    layout: "field layout with invalid rows",
    table: "metrics",
  },
  {
    file: "team/metrics.db",
    source: ["metrics", "documented-15.db"],
    layout: "documented layout",
    table: "interactions",
  },
] as const;

/** Pattern libraries: one in each format, and one with `NaN` that a Python program wrote. */
export const LIBRARIES = [
  { file: "patterns.db", source: ["libraries", "typical.db"] },
  { file: "patterns.json", source: ["libraries", "typical.json"] },
  { file: "python/patterns.db", source: ["legacy", "field-patterns.db"] },
] as const;

/** Decisions about rows and patterns that version 16 cannot hold or read. */
export const DECISIONS = { invalidRows: "quarantine", nonFinite: "text" } as const;

export const STATE_DIRECTORY = "empathy_state";

/** Creates the files of a pre-16 user: real layouts, unusual names, one broken file. */
export function layOutHome(home: string): void {
  for (const { file, source } of [...METRICS, ...LIBRARIES]) {
    const target = join(home, file);
    mkdirSync(join(target, ".."), { recursive: true });
    copyFileSync(fixture(...source), target);
  }
  layOutStates("field", join(home, STATE_DIRECTORY));
  // A program was killed while it saved this file.
  writeFileSync(
    join(home, STATE_DIRECTORY, "interrupted.json"),
    '{\n  "user_id": "interrupted",\n  "trust_level": 0.6,\n  "total_inter',
  );
}
