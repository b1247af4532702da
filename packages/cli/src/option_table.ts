/** One option of a command line. A table of them is what arguments are read by and what the help is made of. */
export interface CommandOption<Command extends string> {
  short?: string;
  /** Stands for the value in the help; a switch has none. */
  value?: string;
  /** Values that are allowed, where they can be counted. */
  choices?: readonly string[];
  /** Form of the value, where that is not free; `expected` says it in words. */
  pattern?: RegExp;
  expected?: string;
  repeatable?: boolean;
  /** True where each of its commands needs it. */
  required?: boolean;
  /** Value that counts where none is given, for the help. */
  default?: string;
  /** Environment variable that gives the value where the option is absent. */
  env?: string;
  /** Arguments of the library that it gives; by default the one with its name in camelCase. */
  arguments?: readonly string[];
  /** The commands that take it. */
  commands: readonly Command[];
  help: string;
  /** Says, for a command that does not take it, what to use instead. */
  instead?: Partial<Record<Command, string>>;
  /** Makes it an option of an earlier version: the reader refuses it with this sentence, and no help shows it. */
  removed?: string;
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
