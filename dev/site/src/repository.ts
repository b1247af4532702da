import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** The absolute path of a file of the repository. */
export function inRepository(path: string): string {
  return join(root, path);
}
