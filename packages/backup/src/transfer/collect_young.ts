import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

type Collect = (options: { type: "minor" }) => void;

let collect: Collect | undefined;

/**
 * Lets V8 give up what has just come up and is not used any more. What arrives over a connection lies outside of its heap, in
 * pieces of 64 KB of which it sees little: on its own it would give them up some 64 MB later. Takes a millisecond or two.
 */
export function collectYoung(): void {
  collect ??= collector();
  collect({ type: "minor" });
}

/** The function is made in a context of its own, and no other one gets it. */
function collector(): Collect {
  if (typeof globalThis.gc === "function") return globalThis.gc as Collect;
  setFlagsFromString("--expose-gc");
  try {
    return (runInNewContext("globalThis.gc") as Collect | undefined) ?? (() => undefined);
  } finally {
    setFlagsFromString("--no-expose-gc");
  }
}
