/**
 * Preloaded into perdura-backup: sends it a signal at its n-th write to stderr, according to `PERDURA_TEST_STOP="n
 * SIGNAL"`.
 */
const [last, signal = "SIGKILL"] = (process.env["PERDURA_TEST_STOP"] ?? "").split(" ");
const write = process.stderr.write.bind(process.stderr);
let written = 0;
process.stderr.write = (...given: unknown[]) => {
  written += 1;
  if (written === Number(last)) process.kill(process.pid, signal);
  return write(...(given as Parameters<typeof write>));
};
