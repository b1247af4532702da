import { MissingPackageError } from "@perdura/internals/errors/errors.js";

/**
 * Loads an optional package.
 *
 * @param need The beginning of the message: `Backups on S3 need`.
 * @throws MissingPackageError with the command that installs it.
 */
export async function loadPackage<Module>(name: string, need: string, load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw cause;
    throw new MissingPackageError(`${need} the package ${name}, which is not installed: npm install ${name}`, {
      cause,
    });
  }
}
