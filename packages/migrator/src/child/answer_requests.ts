/** Told every now and then how many bytes are done, and of how many. */
export type OnBytes = (done: number, total: number) => void;

/** What a child process is sent. */
export interface Question<Request> {
  number: number;
  request: Request;
}

/** How an answer travels back; before it, how far work is that takes its time. */
export type Reply =
  | { number: number; done: number; total: number }
  | { number: number; answer: unknown }
  | { number: number; failure: { message: string; code: string | undefined } };

/** Makes this process answer its parent, one request after the other, and end with it. */
export function answerRequests<Request>(perform: (request: Request, onBytes: OnBytes) => unknown): void {
  // A parent that is gone wants no answer; without the callback that would be an error that nobody catches.
  const send = (reply: Reply): void => void process.send?.(reply, () => undefined);
  process.on("message", ({ number, request }: Question<Request>) => {
    try {
      send({ number, answer: perform(request, (done, total) => send({ number, done, total })) });
    } catch (error) {
      const { message, code } = error as NodeJS.ErrnoException;
      send({ number, failure: { message, code } });
    }
  });
  // Ctrl-C reaches the whole group; the parent decides when this process ends.
  process.on("SIGINT", () => undefined);
  process.on("disconnect", () => process.exit());
}
