/** One try took longer than it may. */
export class TooSlow extends Error {
  constructor(timeoutMs: number) {
    super(`no whole answer came within ${timeoutMs} ms`);
    this.name = "TooSlow";
  }
}

/** An answer that ended early, or whose bytes are not those that the store sent. */
export class BrokenAnswer extends Error {
  constructor(message: string) {
    super(message);
    this.name = "BrokenAnswer";
  }
}

/** What is to be stored could not be read here: no failure of the store, and its `cause` goes to the caller as it is. */
export class UnreadableUpload extends Error {
  constructor(cause: unknown) {
    super("what is to be stored cannot be read", { cause });
    this.name = "UnreadableUpload";
  }
}
