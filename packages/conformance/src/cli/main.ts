import { parseArgs } from "node:util";
import { suiteVersion } from "../package_root.ts";
import { LineMismatch, UnknownSelection } from "../runner/suite_options.ts";
import { COMMANDS } from "./commands.ts";
import { escapeControls } from "../values/escape.ts";
import { help } from "./help.ts";
import { UsageError } from "./usage_error.ts";

/**
 * The command line.
 * @param args what follows the program's name.
 * @returns the exit code: 0 as expected, 1 unexpected, 2 wrong usage, 3 a fault of the suite or nothing ran.
 */
export async function main(args: string[]): Promise<number> {
  try {
    return await dispatch(args);
  } catch (error) {
    const usage = [UsageError, LineMismatch, UnknownSelection].some((kind) => error instanceof kind);
    const message = error instanceof Error ? error.message : String(error);
    // Words of a command line and names of files may come from anywhere.
    const shown = message.split("\n").map(escapeControls).join("\n");
    process.stderr.write(`perdura-conformance: ${shown}\n${usage ? "See perdura-conformance --help.\n" : ""}`);
    return usage ? 2 : 3;
  }
}

async function dispatch(args: string[]): Promise<number> {
  if (args.includes("--help") || args.includes("-h")) return print(help(), 0);
  const [name, ...rest] = args;
  if (name === "--version") return print(`${suiteVersion()}\n`, 0);
  if (name === undefined) return print(help(), 2);
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) throw new UsageError(`there is no command "${name}": choose ${Object.keys(COMMANDS).join(", ")}`);
  const { values, positionals } = parse(name, rest, command.options);
  const [least, most] = command.words;
  if (positionals.length < least || positionals.length > most)
    throw new UsageError(`${name} takes ${command.takes}, and ${positionals.length} words were given`);
  return command.run(values as never, positionals);
}

function parse(
  name: string,
  args: string[],
  options: (typeof COMMANDS)[string]["options"],
): ReturnType<typeof parseArgs> {
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true });
  } catch (error) {
    throw new UsageError(`${name}: ${(error as Error).message}`);
  }
}

function print(text: string, code: number): number {
  process.stdout.write(text);
  return code;
}
