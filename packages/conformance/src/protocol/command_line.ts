/**
 * Splits a command as a shell would: blanks separate, single and double quotes keep together, a backslash keeps the
 * next character, inside double quotes only `"` and `\`.
 * @throws {Error} when a quote is left open.
 * @example splitCommand('python3 "my adapter.py"') // ["python3", "my adapter.py"]
 */
export function splitCommand(command: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let index = 0; index < command.length; index += 1) {
    const character = command[index] as string;
    const next = command[index + 1];
    if (character === "\\" && quote !== "'" && next !== undefined && (quote === "" || next === '"' || next === "\\")) {
      word = (word ?? "") + next;
      index += 1;
    } else if (quote === "" && (character === '"' || character === "'")) {
      quote = character;
      word ??= "";
    } else if (character === quote && quote !== "") {
      quote = "";
    } else if (quote === "" && /\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? "") + character;
    }
  }
  if (quote !== "") throw new Error(`a ${quote} is left open in the command ${JSON.stringify(command)}`);
  if (word !== undefined) words.push(word);
  return words;
}
