/** The code of an executable is in its own file, for which Node.js keeps nothing. */
export function keepCompiledCode(): void {}
