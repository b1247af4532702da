import { printable } from "@perdura/cli/terminal.js";

/** Quotes a word for a shell, so that a terminal also shows it. */
export function shellWord(word: string, platform: NodeJS.Platform = process.platform): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  if (platform === "win32") return `"${printable(word).replaceAll('"', '\\"')}"`;
  if (printable(word) !== word) return `$'${[...word].map(escaped).join("")}'`;
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** A command of the program that can be pasted. */
export function commandLine(command: string, options: readonly string[], targets: readonly string[]): string {
  // A target may look like an option.
  const end = targets.some((target) => target.startsWith("-")) ? ["--"] : [];
  return ["perdura-migrate", command, ...options, ...end, ...targets].map((word) => shellWord(word)).join(" ");
}

function escaped(character: string): string {
  if (character === "'" || character === "\\") return `\\${character}`;
  if (printable(character) === character) return character;
  return [...Buffer.from(character)].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join("");
}
