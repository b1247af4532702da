import { runSpecialCase } from "./special_cases.ts";

if (!(await runSpecialCase("perdura-inspect"))) await import("../../../packages/inspect/src/cli.ts");
