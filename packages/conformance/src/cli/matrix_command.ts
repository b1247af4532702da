import { jsonText } from "../values/escape.ts";
import type { ParseArgsOptionsConfig } from "node:util";
import { runMatrix } from "../matrix/run_matrix.ts";
import { matrixText } from "../matrix/show_matrix.ts";
import { ADAPTER_OPTIONS, adaptersFrom } from "./adapter_options.ts";
import type { AdapterValues } from "./adapter_options.ts";
import { milliseconds } from "./option_values.ts";
import { UsageError } from "./usage_error.ts";

/** The options of `matrix`, as `parseArgs` takes them. */
export const MATRIX_OPTIONS: ParseArgsOptionsConfig = {
  ...ADAPTER_OPTIONS,
  timeout: { type: "string" },
  json: { type: "boolean" },
};

/** The values of {@link MATRIX_OPTIONS}. */
export interface MatrixValues extends AdapterValues {
  timeout?: string | undefined;
  json?: boolean | undefined;
}

/** `perdura-conformance matrix`: every implementation reads what every other one wrote. */
export async function matrixCommand(values: MatrixValues): Promise<number> {
  const adapters = adaptersFrom(values);
  if (adapters.length === 0) throw new UsageError("matrix needs --implementation or --adapter, best several of them");
  const result = await runMatrix(adapters, values.timeout === undefined ? undefined : milliseconds(values.timeout));
  process.stdout.write(values.json ? jsonText(result) : matrixText(result));
  return result.exit_code;
}
