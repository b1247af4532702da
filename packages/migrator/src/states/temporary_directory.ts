import { randomBytes } from "node:crypto";
import { basename, dirname, join } from "node:path";
import { temporaryName } from "@perdura/internals/files/temporary_names.js";

/**
 * What a temporary directory is for: `restoring` and `extracting` are filled and then given their name, `pruned` is on its
 * way out.
 */
export type TemporaryUse = "restoring" | "extracting" | "pruned";

/** A new name beside a state directory, which tells what for and of which directory it is. */
export function temporaryDirectory(use: TemporaryUse, directory: string): string {
  const name = temporaryName(`${use}.${basename(directory)}`, randomBytes(4).toString("hex"));
  return join(dirname(directory), name);
}

/** True when a temporary directory may be one of this use for that state directory; long names are cut. */
export function isTemporaryOf(name: string, use: TemporaryUse, directory: string): boolean {
  return hintOf(name) === hintOf(basename(temporaryDirectory(use, directory)));
}

/** True for a temporary directory of this use. */
export function isTemporaryFor(name: string, use: TemporaryUse): boolean {
  return name.startsWith(`.${use}.`);
}

function hintOf(name: string): string {
  return name.replace(/\.[0-9a-f]{8}-\d+-[0-9a-f]+\.perdura-tmp$/, "");
}
