import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "../../../packages/conformance/src/runner/temporary_folder.ts";
import { receives } from "./mutants/mutations.ts";
import type { Mutation } from "./mutants/mutations.ts";

/** Loads JSON files as if they had another text. */
export function readsFileAs(change: (text: string) => string): Mutation {
  return receives("load_from_json", (args) => {
    const path = String(args.filepath);
    const text = existsSync(path) ? readFileSync(path, "latin1") : "";
    if (change(text) === text) return args;
    const copy = join(temporaryFolder(), "copy.json");
    writeFileSync(copy, change(text), "latin1");
    return { ...args, filepath: copy };
  });
}
