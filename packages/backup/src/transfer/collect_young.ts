import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

type Collect = (options: { type: "minor" }) => void;

let collect: Collect | undefined;

/**
 * Lets V8 collect short-lived objects. Data of a connection is outside of V8's heap, in pieces of 64 KB of which it
 * accounts for little: automatically it would release them some 64 MB later. This takes a millisecond or two.
 */
export function collectYoung(): void {
  collect ??= collector();
  collect({ type: "minor" });
}

/** The function is created in a separate context, and no other context gets it. */
function collector(): Collect {
  if (typeof globalThis.gc === "function") return globalThis.gc as Collect;
  setFlagsFromString("--expose-gc");
  try {
    return (runInNewContext("globalThis.gc") as Collect | undefined) ?? (() => undefined);
  } finally {
    setFlagsFromString("--no-expose-gc");
  }
}
