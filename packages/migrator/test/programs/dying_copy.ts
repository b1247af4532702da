import { copyData } from "../../src/index.ts";

/**
 * `dying_copy.ts SOURCE TARGET SCHEMA N` copies, and kills itself while the Nth piece of rows is in transit; with an
 * additional STAGE, at the Nth progress event of this stage.
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
