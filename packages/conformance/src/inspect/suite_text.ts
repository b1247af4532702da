/** Text of the suite in place of a value: a report shows it without quotes, unlike a text from the file. */
export class SuiteText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toJSON(): string {
    return this.text;
  }
}

export function suiteText(text: string): SuiteText {
  return new SuiteText(text);
}
