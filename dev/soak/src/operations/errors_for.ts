import type { Fault } from "./disturb.ts";
import type { Place } from "./rehearsal.ts";

/** Errors of each call on a disk that is broken, full or read-only. */
const ERRORS: readonly [calls: RegExp, ...errors: string[]][] = [
  [/^mmap$/, "ENOMEM"],
  [/^(?!mmap)/, "EIO"],
  [/^(?:open|openat|openat2|creat)$/, "EMFILE"],
  [/^(?:p?write|pwritev|sendfile|copy_file_range|fallocate|ftruncate|fsync|fdatasync)/, "ENOSPC", "EDQUOT"],
  [/^(?:rename|link|symlink|mkdir|mknod)/, "ENOSPC", "EDQUOT", "EROFS"],
  [/^(?:unlink|rmdir|f?chmod|f?chown|utim)/, "EROFS"],
];
const CREATING = ["ENOSPC", "EDQUOT", "EROFS"];

/** Possible errors of a call. */
export function errorsFor({ name, text }: Pick<Place, "name" | "text">): Fault[] {
  const errors = ERRORS.flatMap(([calls, ...each]) => (calls.test(name) ? each : []));
  return [...errors, ...(/O_CREAT/.test(text) ? CREATING : [])].map((error): Fault => `error=${error}`);
}
