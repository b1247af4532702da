import { hash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The checksum of every file in a folder, by name. */
export function contentOf(folder: string): Map<string, string> {
  return new Map(
    readdirSync(folder)
      .sort()
      .map((name) => [name, hash("sha256", readFileSync(join(folder, name)))]),
  );
}
