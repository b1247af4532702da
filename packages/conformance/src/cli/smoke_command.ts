import { EXIT } from "@perdura/cli/exit_codes.js";
import type { Runner } from "@perdura/cli/run_program.js";
import type { AdapterSource } from "../protocol/channel.ts";
import { runSmoke } from "../smoke/run_smoke.ts";
import { smokeSummary, smokeText } from "../smoke/show_smoke.ts";
import { adaptersOf, lineOf, timeoutOf } from "./chosen.ts";
import type { Command, OptionName } from "./table.ts";

/** Calls each declared operation of an adapter once. */
export const smoke: Runner<Command, OptionName> = async (given) => {
  const [adapter] = adaptersOf(given) as [AdapterSource];
  const result = await runSmoke(adapter, lineOf(given), timeoutOf(given));
  return {
    code: result.passed ? EXIT.done : EXIT.difference,
    summary: smokeSummary(result),
    document: result,
    text: smokeText(result),
    isLaidOut: true,
  };
};
