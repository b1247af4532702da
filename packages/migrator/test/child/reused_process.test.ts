import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FileProcess } from "../../src/io/child/workers.ts";
import { freshFolder } from "../support/folder.ts";
import { ON_LINUX } from "../../../../test/needs.ts";

/** The number of the process that answers: the first field of this file. */
async function numberOf(files: FileProcess): Promise<number> {
  const [header] = await files.headers(["/proc/self/stat"]);
  return Number.parseInt(Buffer.from(header?.bytes ?? "").toString("latin1"), 10);
}

test("reuses an idle process for the next run", ON_LINUX, async () => {
  const [first, second] = [new FileProcess(), new FileProcess()];
  const number = await numberOf(first);
  // A process with pending work is not shared.
  const other = await numberOf(second);
  expect(other).not.toBe(number);
  first.close();
  second.close();
  // One of these, or one that a test before left idle.
  const before = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "latin1").split(" ").map(Number);
  expect(before).toEqual(expect.arrayContaining([number, other]));
  const third = new FileProcess();
  expect(before).toContain(await numberOf(third));
  third.close();
});

test("does not reuse a process that was ended during its work", ON_LINUX, async () => {
  const large = join(freshFolder(), "large");
  writeFileSync(large, "");
  truncateSync(large, 1 << 30);
  const interrupt = new AbortController();
  const files = new FileProcess(interrupt.signal);
  const number = await numberOf(files);
  const hash = files.hash(large);
  interrupt.abort();
  await expect(hash).rejects.toMatchObject({ status: "interrupted" });
  const next = new FileProcess();
  expect(await numberOf(next)).not.toBe(number);
  next.close();
});

test("a program ends together with its idle process", async () => {
  const module = new URL("../../src/io/child/workers.ts", import.meta.url).href;
  const code = `
    import { FileProcess } from ${JSON.stringify(module)};
    const files = new FileProcess();
    const [{ bytes }] = await files.headers([process.platform === "linux" ? "/proc/self/stat" : process.execPath]);
    files.close();
    console.log(parseInt(Buffer.from(bytes).toString("latin1"), 10));`;
  const words = ["--conditions=@perdura/source", "--no-warnings", "--input-type=module", "--eval", code];
  const printed = execFileSync(process.execPath, words, { encoding: "utf8" });
  if (process.platform !== "linux") return;
  // Without a parent that reaps it, it stays in the list as a zombie: Z.
  const isGone = (): boolean => {
    const place = `/proc/${Number(printed)}/stat`;
    return !existsSync(place) || /\) Z /.test(readFileSync(place, "latin1"));
  };
  await expect.poll(isGone).toBe(true);
});
