/** Output and exit code of a program. */
export interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

/** Environment of a program. */
export interface Surroundings {
  cwd?: string;
  /** Added to the environment of this process; undefined removes a variable. */
  env?: Readonly<Record<string, string | undefined>>;
}

let isRunning = false;

/**
 * Runs a program's `main` in this process as if without a terminal and returns what it printed. Starting a process costs
 * more than most commands do; a test whose subject is the process itself (signals, pipes, exit, terminals) starts one.
 *
 * @throws Error if another program runs in this process: they share its working directory, environment and streams.
 */
export async function runMain(
  main: (words: string[]) => Promise<number>,
  words: readonly string[],
  { cwd, env = {} }: Surroundings = {},
): Promise<Ended> {
  if (isRunning) throw new Error("runMain runs one program at a time; start processes to run several");
  isRunning = true;
  const restore = [captured(process.stdout), captured(process.stderr)] as const;
  const directory = process.cwd();
  const before = withEnvironment({ NO_COLOR: "1", ...env });
  try {
    if (cwd !== undefined) process.chdir(cwd);
    const code = await main([...words]);
    return { code, stdout: restore[0].text(), stderr: restore[1].text() };
  } finally {
    process.chdir(directory);
    withEnvironment(before);
    for (const stream of restore) stream.end();
    isRunning = false;
  }
}

/** Sets variables of the environment and returns their values from before. */
function withEnvironment(changed: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> {
  const before = Object.fromEntries(Object.keys(changed).map((name) => [name, process.env[name]]));
  for (const [name, value] of Object.entries(changed)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  return before;
}

/** Keeps what is written to a stream, which is not a terminal meanwhile; `end` also removes the listeners that were added. */
function captured(stream: NodeJS.WriteStream): { text: () => string; end: () => void } {
  const written: Buffer[] = [];
  const listeners = new Set(stream.listeners("error"));
  const own = { write: Object.getOwnPropertyDescriptor(stream, "write"), isTTY: stream.isTTY };
  stream.isTTY = false;
  stream.write = (chunk: string | Uint8Array, ...rest: unknown[]): boolean => {
    const encoding = typeof rest[0] === "string" ? (rest[0] as BufferEncoding) : "utf8";
    written.push(typeof chunk === "string" ? Buffer.from(chunk, encoding) : Buffer.from(chunk));
    const done = rest.at(-1);
    if (typeof done === "function") queueMicrotask(done as () => void);
    return true;
  };
  return {
    text: () => Buffer.concat(written).toString("utf8"),
    end: () => {
      if (own.write === undefined) delete (stream as { write?: unknown }).write;
      else Object.defineProperty(stream, "write", own.write);
      stream.isTTY = own.isTTY;
      for (const listener of stream.listeners("error"))
        if (!listeners.has(listener)) stream.removeListener("error", listener as () => void);
    },
  };
}
