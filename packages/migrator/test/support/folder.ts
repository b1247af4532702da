import { hash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export { freshFolder } from "../../../../test/fresh_folder.ts";

/** Every entry below a directory with its mode, time and content: equal text means that no byte changed. */
export function stampOf(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .toSorted()
    .map((name) => {
      const found = lstatSync(join(folder, name), { bigint: true });
      const content = found.isFile() ? hash("sha256", readFileSync(join(folder, name))) : "";
      return `${name} ${found.mode} ${found.mtimeNs} ${found.size} ${content}`;
    })
    .join("\n");
}
