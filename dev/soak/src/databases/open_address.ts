import { inspect } from "node:util";
import { OPENINGS } from "./address_openings.ts";

// Gives an address to a function that takes one, in the working directory, and says what came of it: whether it succeeded, or
// all that an error tells. In a process of its own: what is no address may be the name of a directory.

const [what, address] = process.argv.slice(2) as [string, string];
try {
  await OPENINGS[what]?.(address);
  console.log("opened");
} catch (error) {
  const { message, stack } = error as Error;
  const told = inspect(error, { depth: 10, showHidden: true });
  console.log(["refused", message, stack, told, JSON.stringify(error), String(error)].join("\n"));
}
