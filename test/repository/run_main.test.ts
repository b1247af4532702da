import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { runMain } from "../run_main.ts";

test("runs a program with its directory and environment, and returns its output", async () => {
  const before = [process.cwd(), process.env["HOME"], process.env["NO_COLOR"], process.stdout.listenerCount("error")];
  const place = realpathSync(tmpdir());
  const ended = await runMain(
    (words) =>
      new Promise((resolve) => {
        process.stdout.on("error", () => undefined);
        process.stderr.write(
          `${process.cwd()} ${process.env["HOME"]} ${process.env["NO_COLOR"]} ${process.stdout.isTTY}`,
        );
        process.stdout.write(new Uint8Array([0xc3]));
        process.stdout.write(Buffer.of(0xa9));
        process.stdout.write(words.join(), "utf8", () => resolve(3));
      }),
    ["a", "b"],
    { cwd: place, env: { HOME: undefined } },
  );
  expect(ended).toEqual({ code: 3, stdout: "éa,b", stderr: `${place} undefined 1 false` });
  expect([process.cwd(), process.env["HOME"], process.env["NO_COLOR"], process.stdout.listenerCount("error")]).toEqual(
    before,
  );
});

test("restores directory and streams after a program throws, and refuses to run two programs at once", async () => {
  const directory = process.cwd();
  const failing = runMain(() => Promise.reject(new Error("broken")), [], { cwd: tmpdir() });
  await expect(runMain(() => Promise.resolve(0), [])).rejects.toThrow("one program at a time");
  await expect(failing).rejects.toThrow("broken");
  expect(process.cwd()).toBe(directory);
  expect(await runMain(() => Promise.resolve(0), [])).toEqual({ code: 0, stdout: "", stderr: "" });
});
