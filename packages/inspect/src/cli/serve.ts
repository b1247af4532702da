import { has, valueOf } from "@perdura/cli/option_table.js";
import { printLine } from "@perdura/cli/lost_output.js";
import type { Result, Runner } from "@perdura/cli/run_program.js";
import { jsonText } from "@perdura/cli/terminal.js";
import { CurrentData } from "../serve/current_data.ts";
import { serve } from "../serve/server.ts";
import type { Command, OptionName } from "./table.ts";

/** Serves the page of the overview, which keeps itself up to date; ends with the process. */
export const serveData: Runner<Command, OptionName> = async (given): Promise<Result> => {
  const limit = valueOf(given, "limit");
  const data = new CurrentData(given.words, {
    schema: valueOf(given, "schema"),
    ...(limit === undefined ? {} : { rows: Number(limit) }),
  });
  // A target that cannot be read is named before anything is served.
  await data.current();
  const address = await serve(data, {
    port: Number(valueOf(given, "port") ?? 0),
    intervalMs: Number(valueOf(given, "interval") ?? 2) * 1000,
  });
  if (has(given, "json")) printLine(jsonText({ address }));
  else if (has(given, "quiet")) printLine(address);
  else printLine(`${address}\nOpen this address in a browser of this computer. Ctrl-C ends it.`);
  return new Promise(() => undefined);
};
