/** Something that must hold on Windows. */
export interface Check {
  name: string;
  /** @returns The output of what failed; undefined if it holds. */
  run(): Promise<string | undefined>;
}
