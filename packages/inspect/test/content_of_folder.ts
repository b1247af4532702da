import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Every file below a folder with its checksum and time. */
export function contentOfFolder(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted();
  return Object.fromEntries(
    names.map((name) => {
      const path = join(folder, name);
      const { mtimeMs } = lstatSync(path);
      if (lstatSync(path).isDirectory()) return [name, `directory ${mtimeMs}`];
      return [name, `${createHash("sha256").update(readFileSync(path)).digest("hex")} ${mtimeMs}`];
    }),
  );
}
