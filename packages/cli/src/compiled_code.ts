/**
 * Lets Node.js keep compiled code for the next start, unless the user chose a directory for it or disabled this. Must not
 * be in the default directory, below `/tmp`: another user could have written the code there.
 */
export function keepCompiledCode(): void {
  const { enableCompileCache, getCompileCacheDir } = process.getBuiltinModule("node:module");
  const { homedir } = process.getBuiltinModule("node:os");
  const { isAbsolute, join } = process.getBuiltinModule("node:path");
  const { XDG_CACHE_HOME, LOCALAPPDATA, NODE_DISABLE_COMPILE_CACHE } = process.env;
  if (NODE_DISABLE_COMPILE_CACHE || getCompileCacheDir() !== undefined) return;
  const own = { darwin: join(homedir(), "Library", "Caches"), win32: LOCALAPPDATA }[process.platform as string];
  const caches = XDG_CACHE_HOME || own || join(homedir(), ".cache");
  const directory = join(caches, "perdura");
  if (isAbsolute(caches) && ensure(caches) && ensure(directory) && isOwn(directory)) enableCompileCache(directory);
}

/**
 * Creates a directory if it does not exist; false if that fails. It does not create parents, because Node.js may try that
 * endlessly in file systems of the kernel.
 */
function ensure(directory: string): boolean {
  const { existsSync, mkdirSync } = process.getBuiltinModule("node:fs");
  try {
    if (!existsSync(directory)) mkdirSync(directory, 0o700);
    return true;
  } catch {
    // Without the directory the program starts more slowly.
    return false;
  }
}

/** False with the home directory of another user, as with `sudo`: that user could have written the code there. */
function isOwn(directory: string): boolean {
  const { statSync } = process.getBuiltinModule("node:fs");
  return process.geteuid === undefined || statSync(directory).uid === process.geteuid();
}
