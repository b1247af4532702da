/** Preloaded into perdura-backup: kills it between two steps of its work, once the file `PERDURA_TEST_STOP` exists. */
import { existsSync } from "node:fs";

function look(): void {
  if (existsSync(process.env["PERDURA_TEST_STOP"] as string)) process.kill(process.pid, "SIGKILL");
  else setImmediate(look).unref();
}
look();
