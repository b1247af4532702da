import { EXIT } from "@perdura/cli/exit_codes.js";
import type { Runner } from "@perdura/cli/run_program.js";
import { runMatrix } from "../matrix/run_matrix.ts";
import { matrixText } from "../matrix/show_matrix.ts";
import { adaptersOf, timeoutOf } from "./chosen.ts";
import type { Command, OptionName } from "./table.ts";

/** Lets every implementation read the files of every other one. */
export const matrix: Runner<Command, OptionName> = async (given) => {
  const result = await runMatrix(adaptersOf(given), timeoutOf(given));
  const text = matrixText(result);
  return {
    code: result.exit_code,
    summary: SUMMARIES[result.exit_code],
    document: result,
    text,
    isLaidOut: true,
  };
};

const SUMMARIES = {
  [EXIT.done]: "Every implementation read the files of every other one.",
  [EXIT.difference]: "At least one implementation did not read the files of another one.",
  [EXIT.failed]: "No judgement: no exchange could be tried.",
};
