import { inspect } from "node:util";
import { OPENINGS } from "./address_openings.ts";

// Gives an address to a function that takes one, in the working directory, and prints the outcome: success, or
// everything that the error shows. Runs in its own process: a text that is not an address may become the name of a
// directory.

const [what, address] = process.argv.slice(2) as [string, string];
try {
  await OPENINGS[what]?.(address);
  console.log("opened");
} catch (error) {
  const { message, stack } = error as Error;
  const shown = inspect(error, { depth: 10, showHidden: true });
  console.log(["refused", message, stack, shown, JSON.stringify(error), String(error)].join("\n"));
}
