import { hostileArchives } from "./hostile_archives.ts";
import { hostileSchemas } from "./hostile_schemas.ts";
import type { Family } from "./models.ts";

/** All hostile files of a kind, by description. */
export function hostileFiles(family: Family): Record<string, (path: string) => void> {
  return family === "archives" ? { ...hostileSchemas(family), ...hostileArchives() } : hostileSchemas(family);
}
