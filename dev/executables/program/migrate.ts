import { runSpecialCase } from "./special_cases.ts";

if (!(await runSpecialCase("perdura-migrate"))) await import("../../../packages/migrator/src/cli.ts");
