import { EXPORT_OPERATIONS } from "./export_operations.ts";
import { FOLDING_OPERATIONS } from "./folding_operations.ts";
import { LIBRARY_OPERATIONS } from "./library_operations.ts";
import type { Operation } from "./operation.ts";
import { RECORDING_OPERATIONS } from "./recording_operations.ts";
import { STATE_OPERATIONS } from "./state_operations.ts";

/** Operations of one of the lines on files, which need no other package. */
export const FILE_OPERATIONS: readonly Operation[] = [
  ...LIBRARY_OPERATIONS,
  ...STATE_OPERATIONS,
  ...RECORDING_OPERATIONS,
  ...FOLDING_OPERATIONS,
  ...EXPORT_OPERATIONS,
];
