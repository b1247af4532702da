import {
  type CheckedDeletionOptions,
  checkedDeletionOptions,
  DELETION_OPTIONS,
  type DeletionOptions,
} from "../text/deletion_options.ts";
import { assertText } from "../text/identifiers.ts";
import { assertOptions } from "../text/options.ts";

/** The uses to delete: those of an agent, those of a pattern, or those of an agent of a pattern. */
export interface DeleteUsageOptions extends DeletionOptions {
  /** Deletes uses by this agent only. */
  agent_id?: string | undefined;
  /** Deletes uses of this pattern only. */
  pattern_id?: string | undefined;
}

/** Result of a deletion of uses. */
export interface DeletedUsage {
  /** Number of rows that were deleted from `pattern_usage`. */
  usageRows: number;
  /** Number of patterns whose counts were lowered. */
  patterns: number;
}

/** Checked settings of a deletion of uses. */
export interface UsageToDelete extends CheckedDeletionOptions {
  agentId: string | undefined;
  patternId: string | undefined;
}

/** @throws ValidationError that names the option; nothing is deleted. */
export function checkedUsageDeletion(options: DeleteUsageOptions): UsageToDelete {
  assertOptions("options", options, ["agent_id", "pattern_id", ...DELETION_OPTIONS]);
  const { agent_id: agentId, pattern_id: patternId } = options;
  // An id that is computed and missing must not delete the uses of all agents.
  if ("agent_id" in options || !("pattern_id" in options)) assertText("agent_id", agentId);
  if ("pattern_id" in options) assertText("pattern_id", patternId);
  return { agentId, patternId, ...checkedDeletionOptions(options) };
}
