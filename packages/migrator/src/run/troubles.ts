import type { ItemStatus } from "../core/report.ts";

/** What keeps a command from beginning, or from going on to the next item. */
export const TROUBLES: readonly ItemStatus[] = ["refused", "in_use", "failed", "uncertain", "interrupted"];
