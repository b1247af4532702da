import type { Runner } from "@perdura/cli/run_program.js";
import { runMatrix } from "../matrix/run_matrix.ts";
import { matrixText } from "../matrix/show_matrix.ts";
import { adaptersOf, exitCodeOf, timeoutOf } from "./chosen.ts";
import type { Command, OptionName } from "./table.ts";

/** Lets every implementation read what every other one wrote. */
export const matrix: Runner<Command, OptionName> = async (given) => {
  const result = await runMatrix(adaptersOf(given), timeoutOf(given));
  const code = exitCodeOf(result.exit_code);
  const text = matrixText(result);
  return {
    code,
    summary: SUMMARIES[result.exit_code],
    document: { ...result, exit_code: code },
    text,
    isLaidOut: true,
  };
};

const SUMMARIES = {
  0: "Each implementation reads what every other one wrote.",
  1: "Not every implementation reads what the others wrote.",
  3: "No judgement: nothing was tried.",
};
