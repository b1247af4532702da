import { hostileArchives } from "./hostile_archives.ts";
import { hostileSchemas } from "./hostile_schemas.ts";
import type { Family } from "./models.ts";

/** Everything hostile that a file of a kind can hold, by what it is called. */
export function hostileFiles(family: Family): Record<string, (path: string) => void> {
  return family === "archives" ? { ...hostileSchemas(family), ...hostileArchives() } : hostileSchemas(family);
}
