import { OWN_TABLES } from "../record/own_tables.ts";
import { KEPT_LEVELS_TABLE } from "../record/side_tables.ts";
import type { OldForm } from "./old_form.ts";

/** Where metadata stands in version 16. */
export const SIDE_TABLE = "interaction_metadata";

/** The tables that are brought back by themselves, lower case. */
export function handledTables({ metrics, second }: Pick<OldForm, "metrics" | "second">): Set<string> {
  const tables =
    metrics === null ? [] : ["interactions", SIDE_TABLE, metrics.name, ...(second === null ? [] : [second.name])];
  return new Set([...tables, ...OWN_TABLES, KEPT_LEVELS_TABLE].map((name) => name.toLowerCase()));
}
