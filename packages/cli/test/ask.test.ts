import { getEventListeners } from "node:events";
import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { ask } from "../src/ask.ts";

/** Asks, types, and returns the answer and the output. */
async function asked(typed: string | null, signal?: AbortSignal): Promise<{ answer: string; shown: string }> {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const answer = ask("Do it? [y/N] ", { input, output, terminal: true, signal });
  if (typed === null) input.end();
  else input.write(typed);
  const given = await answer;
  const written = (await output.end().toArray()).join("");
  return { answer: given, shown: written.replaceAll(/\u001b\[\d*[A-Z]/g, "") };
}

describe("a question", () => {
  test.each(["y\r", "Y\r", "yes\r", "YES\r", "  yes  \r"])("is answered with yes by %j", async (typed) => {
    expect((await asked(typed)).answer).toBe("yes");
  });

  test.each(["n\r", "\r", "yy\r", "no\r", "yes!\r", "oh yes\r", "ja\r"])("is answered with no by %j", async (typed) => {
    const { answer, shown } = await asked(typed);
    expect(answer).toBe("no");
    expect(shown).toMatch(/^Do it\? \[y\/N\] /);
  });

  test("is answered with no by the end of the input, and ends its line", async () => {
    expect(await asked("\u0004")).toEqual({ answer: "no", shown: "Do it? [y/N] \n" });
    expect((await asked(null)).answer).toBe("no");
  });

  test("is interrupted by Ctrl-C, and by a signal that is aborted before or after the question", async () => {
    expect(await asked("\u0003")).toEqual({ answer: "interrupted", shown: "Do it? [y/N] \n" });
    expect((await asked("", AbortSignal.abort())).answer).toBe("interrupted");
    const controller = new AbortController();
    const waiting = asked("ye", controller.signal);
    controller.abort();
    expect((await waiting).answer).toBe("interrupted");
  });

  test.each(["y\r\u0003", "n\r\u0003"])("is interrupted by Ctrl-C directly after the answer: %j", async (typed) => {
    expect((await asked(typed)).answer).toBe("interrupted");
  });

  test("is answered by an input that ends with the answer", async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    input.end("y\n");
    expect(await ask("? ", { input, output })).toBe("yes");
  });

  test("no longer listens for the signal after it was answered", async () => {
    const controller = new AbortController();
    const [input, output] = [new PassThrough(), new PassThrough()];
    const answer = ask("? ", { input, output, signal: controller.signal });
    input.write("y\n");
    expect(await answer).toBe("yes");
    expect(getEventListeners(controller.signal, "abort")).toEqual([]);
    const before = String(output.read());
    controller.abort();
    expect([before, output.read()]).toEqual(["? ", null]);
  });
});
