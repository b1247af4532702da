import { workerData } from "node:worker_threads";
import { sleep } from "@perdura/internals/runtime/sleep.js";
import { MetricsCollector } from "@perdura/v16";

/** Numbers that a thread and the thread that started it share. */
export const SHARED = { isRecording: 0, isOver: 1, longestUs: 2 } as const;

/** A program that records one interaction after the other, and measures the longest call. */
function record({ path, shared }: { path: string; shared: Int32Array }): void {
  const collector = new MetricsCollector(path, { durability: "normal" });
  let longest = 0;
  while (Atomics.load(shared, SHARED.isOver) === 0) {
    const began = performance.now();
    collector.recordInteraction("writer", 3, true, 1);
    longest = Math.max(longest, performance.now() - began);
    Atomics.store(shared, SHARED.isRecording, 1);
    Atomics.notify(shared, SHARED.isRecording);
    sleep(1);
  }
  collector.close();
  Atomics.store(shared, SHARED.longestUs, Math.ceil(1000 * longest));
}

const given = workerData as { path: string; shared: unknown } | null;
if (given?.shared instanceof Int32Array) record({ path: given.path, shared: given.shared });
