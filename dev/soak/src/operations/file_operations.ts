import { EXPORT_OPERATIONS } from "./export_operations.ts";
import { FOLDING_OPERATIONS } from "./folding_operations.ts";
import { LIBRARY_OPERATIONS } from "./library_operations.ts";
import type { Operation } from "./operation.ts";
import { RECORDING_OPERATIONS } from "./recording_operations.ts";
import { STATE_OPERATIONS } from "./state_operations.ts";

/** What one of the lines does with files; needs no package beside them. */
export const FILE_OPERATIONS: readonly Operation[] = [
  ...LIBRARY_OPERATIONS,
  ...STATE_OPERATIONS,
  ...RECORDING_OPERATIONS,
  ...FOLDING_OPERATIONS,
  ...EXPORT_OPERATIONS,
];
