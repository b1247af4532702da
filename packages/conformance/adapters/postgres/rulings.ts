import { RULED } from "../rulings.ts";

/** Open questions that cases without files check, and that this implementation answers by our rulings. */
const IDS = [
  "U-save-existing",
  "U-sqlite-missing",
  "U-optional",
  "U-contributions",
  "U-usage-table",
  "U-timestamps",
  "U-timestamps-sqlite",
  "U-usage-confidence",
  "U-order",
  "U-numbers",
  "U-metadata-storage",
  "U-record-metric-level",
  "U-record-metric-table",
  "U-current-level",
  "U-level-counts",
  "U-unknown-user",
  "U-global-empty",
  "U-range",
  "U-users-order",
  "U-timestamp-zone",
  "U-trends",
  "U-lifecycle",
  "U-limits",
  "U-empathy-level-argument",
];

/** The entries of {@link RULED} for these, and answers that must differ on PostgreSQL. */
export const POSTGRES_CHOICES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(RULED).filter(([id]) => IDS.includes(id))),
  "U-text": "a NUL is refused in every text, since PostgreSQL has none",
};
