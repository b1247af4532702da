import { parseArgs } from "node:util";
import { suiteVersion } from "../package_root.ts";
import { LineMismatch } from "../runner/run_suite.ts";
import { casesCommand, explainCommand, requirementsCommand } from "./catalogue_commands.ts";
import { HELP } from "./help.ts";
import { RUN_OPTIONS, runCommand } from "./run_command.ts";
import { UsageError } from "./usage_error.ts";

const OPTIONS = {
  ...RUN_OPTIONS,
  uncovered: { type: "boolean" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean" },
} as const;

/**
 * The command line.
 * @param args what follows the program's name.
 * @returns the exit code: 0 as expected, 1 unexpected, 2 wrong usage, 3 a fault of the suite or nothing ran.
 */
export async function main(args: string[]): Promise<number> {
  try {
    return await dispatch(args);
  } catch (error) {
    const usage = error instanceof UsageError || error instanceof LineMismatch;
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`perdura-conformance: ${message}\n${usage ? "See perdura-conformance --help.\n" : ""}`);
    return usage ? 2 : 3;
  }
}

async function dispatch(args: string[]): Promise<number> {
  const { values, positionals } = parse(args);
  const [command, ...rest] = positionals;
  if (values.help || (command === undefined && !values.version))
    return print(HELP, command === undefined && !values.help ? 2 : 0);
  if (values.version) return print(`${suiteVersion()}\n`, 0);
  if (command !== "explain" && rest.length > 0)
    throw new UsageError(`"${rest[0]}" is one word too many after ${command}`);
  switch (command) {
    case "run":
      return runCommand(values);
    case "requirements":
      return print(requirementsCommand(values.uncovered === true), 0);
    case "explain":
      if (rest.length !== 1) throw new UsageError("explain takes one id of a requirement or a case");
      return print(explainCommand(rest[0] as string), 0);
    case "cases":
      return print(casesCommand(), 0);
    default:
      throw new UsageError(`there is no command "${command}"`);
  }
}

function parse(
  args: string[],
): ReturnType<typeof parseArgs<{ options: typeof OPTIONS; allowPositionals: true; strict: true }>> {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function print(text: string, code: number): number {
  process.stdout.write(text);
  return code;
}
