import { BACKUP_OPERATIONS } from "./backup_operations.ts";
import { FILE_OPERATIONS } from "./file_operations.ts";
import type { Operation } from "./operation.ts";

/** All operations that are disturbed at every system call, except migrations. */
export const OPERATIONS: readonly Operation[] = [...FILE_OPERATIONS, ...BACKUP_OPERATIONS];
