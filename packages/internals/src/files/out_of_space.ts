import { constants } from "node:os";

/** The reason of an exceeded quota, for which Node.js has no name and no words; undefined for other errors. */
export function quotaReason(error: unknown): string | undefined {
  const isOfQuota = (error as NodeJS.ErrnoException).errno === -constants.errno.EDQUOT;
  return isOfQuota ? "EDQUOT: disk quota exceeded" : undefined;
}

/** True for a write that a full disk or an exceeded quota refused. */
export function isOutOfSpace(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === "ENOSPC" || code === "SQLITE_FULL" || quotaReason(error) !== undefined;
}
