/** Sources that implement what the specification leaves open, and why no case of the conformance suite can judge them. */
interface LeftOpen {
  /** From the root of the repository; a folder ends with a slash. */
  files: readonly string[];
  why: string;
}

const INTERNALS = "packages/internals/src";

export const LEFT_OPEN: readonly LeftOpen[] = [
  {
    files: [`${INTERNALS}/terminal/`],
    why: "Words of messages: a case judges the kind of an error, not its text.",
  },
  {
    files: [
      `${INTERNALS}/files/`,
      `${INTERNALS}/errors/room_left.ts`,
      `${INTERNALS}/sqlite/durability.ts`,
      `${INTERNALS}/sqlite/write_transaction.ts`,
    ],
    why: "How content comes to the disk whole, and what a program leaves that is killed or has no room: adapters are neither killed nor short of room. `pnpm soak` judges it.",
  },
  {
    files: [
      `${INTERNALS}/sqlite/busy.ts`,
      `${INTERNALS}/sqlite/large_log.ts`,
      `${INTERNALS}/sqlite/open_files.ts`,
      `${INTERNALS}/sqlite/write_ahead_log.ts`,
      `${INTERNALS}/sqlite/runtime.ts`,
    ],
    why: "Other programs on the same database, odd file systems, other versions of Node.js: a case has one adapter on one machine.",
  },
  {
    files: [
      `${INTERNALS}/json/item_batches.ts`,
      `${INTERNALS}/json/ordinary_value.ts`,
      `${INTERNALS}/json/structural_bytes.ts`,
      `${INTERNALS}/metrics/rollup/`,
      `${INTERNALS}/patterns/ordinary_pattern.ts`,
    ],
    why: "Quicker ways to the same result, some of them only for more rows than a case has.",
  },
  {
    files: [
      `${INTERNALS}/errors/callers_code.ts`,
      `${INTERNALS}/metrics/export_progress.ts`,
      `${INTERNALS}/metrics/options.ts`,
      `${INTERNALS}/metrics/write_queue.ts`,
      `${INTERNALS}/metrics/writer_base.ts`,
      `${INTERNALS}/line16/metrics_writer.ts`,
      `${INTERNALS}/text/options.ts`,
      "packages/v15/src/metrics_writer.ts",
      "packages/v16/src/async_form.ts",
      "packages/v16/src/async_persistence.ts",
    ],
    why: "What perdura offers beyond the specification: options, progress, writers, the asynchronous form.",
  },
  {
    files: [`${INTERNALS}/errors/errors.ts`, `${INTERNALS}/errors/storage_errors.ts`, `${INTERNALS}/text/describe.ts`],
    why: "What errors say: the specification says when there is one.",
  },
  {
    files: [`${INTERNALS}/state/file_names.ts`, "packages/v15/src/written_user_id.ts"],
    why: "What the files of states are called where a user id is no name of a file: any way is right that brings the id back.",
  },
];

/** Whether the specification leaves open what a source file does. */
export function isLeftOpen(file: string): boolean {
  return LEFT_OPEN.some(({ files }) =>
    files.some((name) => file === name || (name.endsWith("/") && file.startsWith(name))),
  );
}
