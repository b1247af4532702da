/** `interrupted_cli.ts N SIGNAL WORDS…` is perdura-migrate with WORDS; after N progress events, it gets the signal. */
import { main } from "../../src/cli/main.ts";

const [last = "1", signal = "SIGINT", ...words] = process.argv.slice(2);
let reported = 0;
const write = process.stderr.write.bind(process.stderr);
process.stderr.write = (...given: unknown[]) => {
  reported += 1;
  if (reported === Number(last)) process.kill(process.pid, signal);
  return write(...(given as Parameters<typeof write>));
};
process.exitCode = await main(words);
