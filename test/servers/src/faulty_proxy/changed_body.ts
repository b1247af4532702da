import { Transform } from "node:stream";
import type { Fault } from "./faults.ts";

/** Forwards a body, with one bit flipped if the fault asks for it. */
export function flipped(fault: Fault | undefined, body: "request" | "answer"): Transform {
  let left = fault !== undefined && "flip" in fault && fault.flip === body;
  const at = fault !== undefined && "flip" in fault ? fault.at : undefined;
  let passed = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const place = (at ?? passed + (chunk.length >> 1)) - passed;
      passed += chunk.length;
      if (!left || place >= chunk.length) return done(null, chunk);
      left = false;
      const changed = Buffer.from(chunk);
      changed[place] = (changed[place] as number) ^ 1;
      return done(null, changed);
    },
  });
}

/**
 * Forwards this many bytes; then it calls `end` once, and discards further ones.
 *
 * @param limit Undefined for all.
 */
export function cutAfter(limit: number | undefined, end: () => void): Transform {
  let passed = 0;
  let over = false;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (over) return done();
      if (limit === undefined || passed + chunk.length < limit) {
        passed += chunk.length;
        return done(null, chunk);
      }
      over = true;
      this.push(chunk.subarray(0, limit - passed));
      // After the forwarded bytes were sent.
      setImmediate(end);
      return done();
    },
    // The end of the body would end the answer normally.
    flush(done) {
      if (!over) done();
    },
  });
}
