import { alters, ignores, receives, row } from "./mutations.ts";
import type { Mutant } from "./mutations.ts";
import { loads, redeclares, savesThen } from "./sqlite_mutations.ts";

const AGAIN =
  "INSERT INTO pattern_usage (pattern_id, agent_id, success) SELECT pattern_id, agent_id, success FROM pattern_usage";

/** Usage rows that are wrong: their table (section 2.2), and what recording a use does. */
export const SQLITE_USAGE_MUTANTS: readonly Mutant[] = [
  row(
    "leaves the id of a use to the program",
    "R-2.2/id.generated",
    16,
    "patterns-sqlite/usage-ids",
    redeclares("pattern_usage", "PRIMARY KEY AUTOINCREMENT", "NOT NULL UNIQUE"),
  ),
  row(
    "allows an agent one use of a pattern",
    "R-2.2/id.generated",
    15,
    "patterns-sqlite/usage-ids",
    redeclares("pattern_usage", "FOREIGN KEY", "UNIQUE (pattern_id, agent_id), FOREIGN KEY"),
  ),
  row(
    "numbers uses without a key",
    "R-2.2/id.primary-key",
    16,
    "patterns-sqlite/usage-primary-key",
    redeclares("pattern_usage", "PRIMARY KEY AUTOINCREMENT", ""),
  ),
  row(
    "leaves the time of a use to the program",
    "R-2.2/used-at.default",
    15,
    "patterns-sqlite/usage-time",
    redeclares("pattern_usage", "DEFAULT CURRENT_TIMESTAMP", ""),
  ),
  row(
    "allows a use of no pattern",
    "R-2.2/pattern-id.required",
    16,
    "patterns-sqlite/usage-pattern-required",
    redeclares("pattern_usage", "pattern_id TEXT NOT NULL", "pattern_id TEXT"),
  ),
  row(
    "allows a use by nobody",
    "R-2.2/agent-id.required",
    16,
    "patterns-sqlite/usage-agent-required",
    redeclares("pattern_usage", "agent_id TEXT NOT NULL", "agent_id TEXT NOT NULL DEFAULT ''"),
  ),
  row(
    "takes a use for a success by default",
    "R-2.2/success.required",
    15,
    "patterns-sqlite/usage-success-required",
    redeclares("pattern_usage", "success BOOLEAN NOT NULL", "success BOOLEAN DEFAULT 1"),
  ),
  row(
    "has usage rows without a foreign key",
    "R-2.2/foreign-key",
    15,
    "patterns-sqlite/usage-foreign-key",
    redeclares("pattern_usage", /,\s*FOREIGN KEY.*/, ""),
  ),
  row("writes usage rows twice", "U-usage-table", 16, "patterns-sqlite/usage", alters(AGAIN)),
  row("never writes a usage row", "U-usage-table", 15, "patterns-sqlite/usage", savesThen("DELETE FROM pattern_usage")),
  row(
    "counts uses only in pattern_usage",
    "U-usage-table",
    16,
    "patterns-sqlite/usage-counters",
    savesThen("UPDATE patterns SET usage_count = 12, success_count = 10, failure_count = 2"),
  ),
  row(
    "takes every use for a success",
    "U-usage-table",
    15,
    "patterns-sqlite/usage-counters",
    receives("record_usage", (args) => ({ ...args, success: true })),
  ),
  row(
    "leaves last_used as it was",
    "U-usage-table",
    16,
    "patterns-sqlite/usage-last-used",
    loads((pattern) => ({ ...pattern, last_used: "2025-04-02T17:05:59" })),
  ),
  row(
    "sets last_used with a fraction and a zone",
    "U-usage-table",
    16,
    "patterns-sqlite/usage-last-used",
    loads((pattern) => ({ ...pattern, last_used: new Date().toISOString() })),
  ),
  row(
    "forgets the uses of a loaded library",
    "U-usage-table",
    16,
    "patterns-sqlite/usage-later",
    ignores("record_usage", (args) => args.agent_id === "third"),
  ),
  row("brings queued uses back with every save", "U-usage-table", 15, "patterns-sqlite/usage-later", savesThen(AGAIN)),
  row(
    "learns confidence from uses",
    "U-usage-confidence",
    16,
    "patterns-sqlite/usage-confidence",
    loads((pattern) => ({ ...pattern, confidence: 11 / 14 })),
  ),
];
