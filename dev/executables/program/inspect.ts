import { start } from "@perdura/cli/start.js";
import { runSpecialCase } from "./special_cases.ts";

void runSpecialCase("perdura-inspect").then((handled) => handled || run());

/** As in the program's own file, which cannot be part of a CommonJS module, because it waits at its top level. */
function run(): Promise<never> {
  return start("perdura-inspect", "", async () => (await import("../../../packages/inspect/src/cli/main.ts")).main);
}
