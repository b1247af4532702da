import { existsSync } from "node:fs";
import { join } from "node:path";
import { openPersistenceAsync } from "@perdura/v16";
import { describe, expect, test } from "vitest";
import { LINES } from "./both_lines.ts";
import { freshFolder } from "../fresh_folder.ts";

const MISSPELT = [
  ["persistance_path", "persistence_path"],
  ["persistencePath", "persistence_path"],
  ["Persistence-Path", "persistence_path"],
  ["persistence_enable", "persistence_enabled"],
  ["userid", "user_id"],
] as const;

const refused = (message: string) => expect.objectContaining({ code: "PERDURA_VALIDATION", message }) as Error;

describe.for(LINES)("in $name", ({ line }) => {
  test.each(MISSPELT)("a configuration with %s is refused, with the name that was meant", (name, meant) => {
    const path = join(freshFolder(), "data");
    expect(() => line.openPersistence({ persistence_path: path, [name]: path } as object)).toThrow(
      refused(`config: unknown field "${name}". Did you mean ${meant}? Nothing was written.`),
    );
    expect(existsSync(path)).toBe(false);
  });

  test("a configuration with any other field is refused, with all fields", () => {
    expect(() => line.openPersistence({ verbose: true } as object)).toThrow(
      /^config: unknown field "verbose"\. Expected one of user_id, persistence_enabled, persistence_path/,
    );
  });

  test.each([
    ["discoveredAt", "discovered_at"],
    ["patternType", "pattern_type"],
    ["confidance", "confidence"],
    ["tag", "tags"],
    ["usage-count", "usage_count"],
  ])("a pattern with %s is refused, with the field that was meant", (name, meant) => {
    const library = new line.PatternLibrary();
    const pattern = { id: "p", pattern_type: "t", name: "n", [name]: "x" };
    expect(() => library.contribute("agent", pattern as never)).toThrow(
      refused(`pattern: unknown field "${name}". Did you mean ${meant}? The library is unchanged.`),
    );
    expect(library.size).toBe(0);
  });

  test("other fields of a pattern are ignored", () => {
    const library = new line.PatternLibrary();
    library.contribute("agent", { id: "p", pattern_type: "t", name: "n", node: 1, model: 2, url: 3 } as never);
    expect(library.get("p")).not.toHaveProperty("node");
  });
});

test("a configuration for PostgreSQL is checked before the server is asked", async () => {
  const config = { persistence_path: "postgres://nobody@127.0.0.1:1/nowhere", userid: "ann" };
  await expect(openPersistenceAsync(config as object)).rejects.toThrow(
    refused('config: unknown field "userid". Did you mean user_id? Nothing was written.'),
  );
});
