import { UnsupportedFormatError } from "../errors/errors.ts";
import { quote } from "../text/describe.ts";

/** The `metadata.version` that this library writes (specification, section 9). */
export const FORMAT_VERSION = "1.0";

/**
 * Accepts every `1.x` (ruling U-format-version). A version that is not text is checked by the schema.
 *
 * @throws UnsupportedFormatError that names both versions.
 */
export function assertReadableVersion(version: unknown, path: string): void {
  if (typeof version !== "string" || /^1\.\d+$/.test(version)) return;
  throw new UnsupportedFormatError(
    `the file has format version ${quote(version)}; this library reads 1.x (it writes ${FORMAT_VERSION}).`,
    { path },
  );
}
