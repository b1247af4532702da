import { MissingPackageError } from "./errors.ts";

/**
 * Loads packages that only some users install.
 *
 * @param needs The beginning of the message, for example `PostgreSQL needs`.
 * @param names The packages.
 * @throws MissingPackageError with the command that installs them.
 */
export async function loadOptional<Loaded>(
  needs: string,
  names: readonly [string, ...string[]],
  load: () => Promise<Loaded>,
): Promise<Loaded> {
  try {
    return await load();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw cause;
    const [last, ...others] = names.toReversed();
    const list =
      others.length === 0 ? `the package ${last}` : `the packages ${others.toReversed().join(", ")} and ${last}`;
    const are = others.length === 0 ? "is" : "are";
    const text = `${needs} ${list}, which ${are} not installed: npm install ${names.join(" ")}`;
    throw new MissingPackageError(text, { cause });
  }
}
