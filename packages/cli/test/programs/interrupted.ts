import { onInterrupt } from "../../src/interrupt.ts";

// Waits for a request to stop, and prints the outcome. With a word it waits for a second one.

const { signal, end } = onInterrupt(
  () => console.log(`before, ${signal.aborted ? "asked" : "not asked"} to stop`),
  "Stopping.",
);
const waiting = setInterval(() => {}, 60_000);
const listeners = (): number => process.listenerCount("SIGINT") + process.listenerCount("SIGTERM");

signal.addEventListener("abort", () => {
  // After all listeners of the signal were called.
  setImmediate(() => {
    console.log(`listeners: ${listeners()}`);
    if (process.argv[2] !== undefined) return;
    clearInterval(waiting);
  });
});
if (process.argv[2] === "ended") {
  end();
  console.log(`listeners: ${listeners()}`);
}
console.log("ready [y/N]");
