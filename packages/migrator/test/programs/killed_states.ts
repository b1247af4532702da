import { migrate, pruneMigration, downgradeMigration } from "../../src/index.ts";

/** `killed_states.ts COMMAND TARGET N` runs up, prune or down, and kills itself when step N begins. */
const [command = "", target = "", last = "0"] = process.argv.slice(2);
const run = { up: migrate, prune: pruneMigration, down: downgradeMigration }[command] ?? migrate;
let step = 0;

await run(target, {
  onProgress: () => {
    step += 1;
    if (step === Number(last)) process.kill(process.pid, "SIGKILL");
  },
});
