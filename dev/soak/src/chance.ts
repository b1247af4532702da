import { createHash } from "node:crypto";
import fc from "fast-check";

/** Most inputs that are tried to make a wrong one smaller. */
const SHRINKS = 300;

/** Choices by fast-check: the same seed gives the same ones on every machine. */
export class Chance {
  readonly #made: fc.GeneratorValue;

  private constructor(made: fc.GeneratorValue) {
    this.#made = made;
  }

  /**
   * Choices to work with once.
   * @param parts what the choices are for; any other gives others.
   */
  static of(...parts: readonly (string | number)[]): Chance {
    const [made] = fc.sample(fc.gen(), { seed: seedOf(parts), numRuns: 1, unbiased: true });
    return new Chance(made as fc.GeneratorValue);
  }

  /**
   * Tries one input, and where something is wrong smaller ones that are wrong as well.
   * @param parts what the input is for; any other gives another.
   * @param trial makes the input from choices, and returns what is wrong, a sentence each.
   * @returns what is wrong with the smallest input that was found; empty where nothing is.
   * @throws what the trial throws.
   */
  static async try(
    parts: readonly (string | number)[],
    trial: (chance: Chance) => Promise<string[]> | string[],
  ): Promise<string[]> {
    let wrong: string[] = [];
    let tries = 0;
    let broken: { error: unknown } | undefined;
    const property = fc.asyncProperty(fc.gen(), async (made) => {
      tries += 1;
      if (tries > SHRINKS || broken !== undefined) return true;
      try {
        const found = await trial(new Chance(made));
        if (found.length > 0) wrong = found;
        return found.length === 0;
      } catch (error) {
        broken = { error };
        return true;
      }
    });
    await fc.check(property, { seed: seedOf(parts), numRuns: 1, unbiased: true });
    if (broken !== undefined) throw (broken as { error: unknown }).error;
    return wrong;
  }

  /** A whole number from 0 to one less than `bound`. */
  below(bound: number): number {
    return bound <= 1 ? 0 : this.#made(wholeNumbers, bound);
  }

  /** True in so many of a hundred cases. */
  percent(share: number): boolean {
    return this.below(100) < share;
  }

  pick<Item>(items: readonly Item[]): Item {
    if (items.length === 0) throw new Error("There is nothing to pick from.");
    return items[this.below(items.length)] as Item;
  }

  bytes(length: number): Buffer {
    return Buffer.from(this.#made(bytesOf, length));
  }

  /** Something that fast-check makes. */
  made<Value>(arbitrary: fc.Arbitrary<Value>): Value {
    return this.#made(builderOf(arbitrary)) as Value;
  }
}

const wholeNumbers = (bound: number): fc.Arbitrary<number> => fc.integer({ min: 0, max: bound - 1 });
const bytesOf = (length: number): fc.Arbitrary<Uint8Array> => fc.uint8Array({ minLength: length, maxLength: length });

/** A function for each arbitrary: fast-check compares arguments to their depth, and an arbitrary may hold itself. */
const builders = new WeakMap<object, () => fc.Arbitrary<unknown>>();

function builderOf(arbitrary: fc.Arbitrary<unknown>): () => fc.Arbitrary<unknown> {
  const builder = builders.get(arbitrary) ?? (() => arbitrary);
  builders.set(arbitrary, builder);
  return builder;
}

function seedOf(parts: readonly (string | number)[]): number {
  return createHash("sha256").update(parts.join("\n")).digest().readInt32LE();
}
