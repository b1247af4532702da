import { keepCompiledCode } from "./compiled_code.ts";
import { EXIT } from "./exit_codes.ts";
import { endOnInterrupt } from "./interrupt.ts";

/**
 * Starts a program as the main module of its process, and ends the process with the exit code. No module that needs a
 * certain version of Node.js may be imported before the version is checked: the database driver crashes older versions
 * without a message. Bun and Deno are refused, because their child processes and directories differ from those of Node.js.
 *
 * @param unchanged Sentence for a program that has done nothing yet, for example "Nothing was changed."; may be empty.
 * @param load Loads the main function of the program, which gets its arguments.
 */
export async function start(
  name: string,
  unchanged: string,
  load: () => Promise<(words: string[]) => Promise<number>>,
): Promise<never> {
  // Bun and Deno state the version of Node.js that they imitate.
  const { bun, deno } = process.versions;
  const other = bun !== undefined ? `Bun ${bun}` : deno !== undefined ? `Deno ${deno}` : undefined;
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (other !== undefined || major < 22 || (major === 22 && minor < 14)) {
    const found = other ?? `Node.js ${process.versions.node}`;
    const fault = `${name} needs Node.js 22.14 or newer; this is ${found}. ${unchanged}`;
    process.stderr.write(`${fault.trimEnd()}\n`);
    process.exit(EXIT.usage);
  }
  endOnInterrupt(name, unchanged);
  keepCompiledCode();
  const main = await load();
  // All output has been written. If Node.js ended the process by returning to the event loop, Ctrl-C could kill it
  // during its clean-up.
  process.exit(await main(process.argv.slice(2)));
}
