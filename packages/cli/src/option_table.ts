/** One option of a command line. A table of them is what arguments are read by and what the help is made of. */
export interface CommandOption<Command extends string> {
  short?: string;
  /** What stands for the value in the help; a switch has none. */
  value?: string;
  /** What the value may be, where that is not free; `expected` says it in words. */
  pattern?: RegExp;
  expected?: string;
  repeatable?: boolean;
  /** The commands to which it means something. */
  commands: readonly Command[];
  help: string;
}

/** Every option of a program by its long name, in the order of the help. */
export type OptionTable<Command extends string, Name extends string> = Readonly<Record<Name, CommandOption<Command>>>;

/** An option as it was given; a switch has no value. */
export interface Given<Name extends string> {
  name: Name;
  value: string | undefined;
}

/** True when an option was given. */
export function has<Name extends string>({ given }: { given: readonly Given<Name>[] }, name: Name): boolean {
  return given.some((option) => option.name === name);
}

/** The value of an option, or undefined where it was not given. */
export function valueOf<Name extends string>(from: { given: readonly Given<Name>[] }, name: Name): string | undefined {
  return valuesOf(from, name).at(-1);
}

/** Every value of an option that may be repeated. */
export function valuesOf<Name extends string>({ given }: { given: readonly Given<Name>[] }, name: Name): string[] {
  return given.flatMap((option) => (option.name === name && option.value !== undefined ? [option.value] : []));
}

/** `--fence WAY`, as the help and the sentences write it. */
export function optionText(name: string, { value }: Pick<CommandOption<string>, "value">): string {
  return `--${name}${value === undefined ? "" : ` ${value}`}`;
}
