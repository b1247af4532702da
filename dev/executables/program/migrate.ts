import { start } from "@perdura/cli/start.js";
import { runSpecialCase } from "./special_cases.ts";

void runSpecialCase("perdura-migrate").then((handled) => handled || run());

/** As in the program's own file, which cannot be part of a CommonJS module, because it waits at its top level. */
function run(): Promise<never> {
  return start(
    "perdura-migrate",
    "Nothing was changed.",
    async () => (await import("../../../packages/migrator/src/cli/main.ts")).main,
  );
}
