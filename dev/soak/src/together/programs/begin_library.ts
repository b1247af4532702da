import { join } from "node:path";
import { save } from "../common_libraries.ts";
import { say, untilSignal } from "./say.ts";

/**
 * `begin_library.ts DIRECTORY AGENT START EVERY`: saves into a new database at the same moments as all other programs:
 * every EVERY milliseconds after START, in milliseconds since 1970. Prints `saved AGENT@NUMBER NUMBER`.
 */
const [directory = "", agent = "", start = "", every = ""] = process.argv.slice(2);
let last = -1;

await untilSignal(() => {
  const number = Math.floor((Date.now() - Number(start)) / Number(every));
  if (number <= last) return;
  save("merge", join(directory, `library-${number}.db`), { agent, version: 1 });
  last = number;
  say("saved", `${agent}@${number} ${number}`);
});
