import { migrate } from "../src/index.ts";

/** `dying_migration.ts TARGET N` migrates, and kills itself without a word when step N begins. */
const [target = "", last = "0"] = process.argv.slice(2);
let step = 0;

await migrate(target, {
  invalidRows: "quarantine",
  onProgress: () => {
    step += 1;
    if (step === Number(last)) process.kill(process.pid, "SIGKILL");
  },
});
process.stdout.write(`${step}\n`);
