/** What was found in our own words: a report shows it without the quotes that a text from the file gets. */
export class Words {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toJSON(): string {
    return this.text;
  }
}

/** Something found that is told in words. */
export function words(text: string): Words {
  return new Words(text);
}
