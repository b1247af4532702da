import { vi } from "vitest";
import { PATIENCE_MS } from "./patience.ts";

/**
 * Checks what happens at a time limit, in milliseconds, that is short but long enough for this machine: one of twice
 * the time is tried until the check succeeds.
 */
export async function atShortLimit(check: (limitMs: number) => Promise<void>, firstMs: number = 100): Promise<void> {
  let nextMs = firstMs;
  await vi.waitFor(
    async () => {
      const limitMs = nextMs;
      nextMs *= 2;
      await check(limitMs);
    },
    { timeout: PATIENCE_MS, interval: 1 },
  );
}
