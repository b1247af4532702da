import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Answer, Judgement, Learnt, Verdicts } from "./messages.ts";
import { MUTANT_VARIABLE } from "../run/stryker_state.ts";
import { ADAPTER_TIME_ZONE } from "../../../../packages/conformance/src/matching/timestamp.ts";

const PROGRAM = fileURLToPath(new URL("./judge_program.ts", import.meta.url));

/** How a process that judges ended before it answered. */
export class NoAnswer extends Error {
  readonly kind: "crash" | "timeout";

  constructor(kind: "crash" | "timeout", message: string) {
    super(message);
    this.kind = kind;
  }
}

/** A process with both lines and the suite in it. */
export class JudgeProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;

  /** @param mutant is active while the sources are loaded, too. */
  constructor(mutant?: string) {
    const env = { ...process.env, TZ: ADAPTER_TIME_ZONE };
    const execArgv = ["--conditions=@perdura/source", "--no-warnings"];
    this.#child = fork(PROGRAM, {
      env: mutant === undefined ? env : { ...env, [MUTANT_VARIABLE]: mutant },
      execArgv,
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    this.#ended = new Promise((resolve) => this.#child.once("exit", () => resolve()));
  }

  learn(): Promise<Learnt> {
    return this.#ask({ type: "learn" }, 600_000) as Promise<Learnt>;
  }

  /** @throws {NoAnswer} when the process crashes, or takes longer than `timeoutMs`; it is gone then. */
  judge(mutant: string, hitLimit: number | undefined, verdicts: Verdicts, timeoutMs: number): Promise<Judgement> {
    return this.#ask({ type: "judge", mutant, hitLimit, verdicts }, timeoutMs) as Promise<Judgement>;
  }

  async end(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#ended;
  }

  #ask(wish: object, timeoutMs: number): Promise<Answer> {
    return new Promise<Answer>((resolve, reject) => {
      const timer = setTimeout(() => fail("timeout", `no answer within ${timeoutMs} ms`), timeoutMs);
      const gone = (code: number | null): void => fail("crash", `the process ended (${code})`);
      const answered = (value: unknown): void => {
        clearTimeout(timer);
        this.#child.off("exit", gone);
        resolve(value as Answer);
      };
      const fail = (kind: "crash" | "timeout", message: string): void => {
        clearTimeout(timer);
        this.#child.off("message", answered).off("exit", gone);
        void this.end().then(() => reject(new NoAnswer(kind, message)));
      };
      this.#child.once("message", answered).once("exit", gone);
      if (this.#child.exitCode !== null || this.#child.signalCode !== null) gone(this.#child.exitCode);
      else this.#child.send(wish, (error) => void (error && fail("crash", error.message)));
    });
  }
}
