/** Output of a program in this process, on both streams, and its exit code. */
export async function overheard(run: () => Promise<number>): Promise<{ code: number; text: string }> {
  const [{ stdout, stderr }, said] = [process, [] as string[]];
  const before = [stdout.write, stderr.write] as const;
  const listen = (chunk: unknown, ...more: unknown[]): boolean => {
    said.push(typeof chunk === "string" ? chunk : Buffer.from(chunk as Uint8Array).toString("utf8"));
    const done = more.at(-1);
    if (typeof done === "function") process.nextTick(done as () => void);
    return true;
  };
  stdout.write = listen as typeof stdout.write;
  stderr.write = listen as typeof stderr.write;
  try {
    return { code: await run(), text: said.join("") };
  } finally {
    [stdout.write, stderr.write] = before;
  }
}
