import { copyData } from "../../src/index.ts";

/**
 * `dying_copy.ts SOURCE TARGET SCHEMA N` copies, and kills itself without a word when the Nth piece of rows is on its way;
 * with STAGE behind it at the Nth thing that is said of this stage.
 */
const [source = "", target = "", schema = "", last = "0", wanted] = process.argv.slice(2);
let pieces = 0;
await copyData(source, target, {
  schema,
  onProgress: ({ stage, done }) => {
    if (stage !== (wanted ?? "copy") || (wanted === undefined && done === null)) return;
    pieces += 1;
    if (pieces === Number(last)) process.kill(process.pid, "SIGKILL");
  },
});
process.stdout.write(`${pieces}\n`);
