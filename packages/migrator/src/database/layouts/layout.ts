import type { Catalog } from "./catalog.ts";

/** The columns that every metrics table of every layout has (specification, section 2.5). */
export const COMMON_COLUMNS = ["user_id", "success", "response_time_ms", "timestamp"] as const;

/** Tables that recognition needs to know about, lower case. */
export const KNOWN_TABLES = [
  "interactions",
  "metrics",
  "metrics_new",
  "interaction_metadata",
  "patterns",
  "pattern_usage",
  "perdura_quarantine",
] as const;

/** What happens to a database of a layout. */
export type Treatment =
  /** The level column is renamed in place. */
  | "rename"
  /** Table and column are renamed, the metadata moves to its side table. */
  | "convert"
  /** Two metrics tables: the rows of the field layout join those of the documented one. */
  | "unite"
  /** Missing indexes at most. */
  | "keep"
  /** Not in this version; `sentence` says why. */
  | "refuse"
  /** No data of perdura. */
  | "leave";

/** One way in which a program wrote a metrics database. */
export interface Layout {
  name: string;
  title: string;
  treatment: Treatment;
  /** Where the rows of a field layout stand, when that is not `metrics`. */
  table?: string;
  /** Why a database of this layout is refused or left alone. */
  sentence?: string;
  matches: (catalog: Catalog) => boolean;
}
