import { migrate, downgradeMigration } from "../../src/index.ts";

/** `dying_migration.ts TARGET N [down]` migrates or downgrades, and kills itself when step N begins. */
const [target = "", last = "0", command = "up"] = process.argv.slice(2);
let step = 0;

const onProgress = (): void => {
  step += 1;
  if (step === Number(last)) process.kill(process.pid, "SIGKILL");
};
await (command === "down"
  ? downgradeMigration(target, { onProgress })
  : migrate(target, { invalidRows: "quarantine", onProgress }));
