/** What programs have in common, and no document may change. */
const SHARED: readonly object[] = [
  Object.prototype,
  Array.prototype,
  Function.prototype,
  String.prototype,
  Number.prototype,
  Map.prototype,
  Set.prototype,
  Error.prototype,
  Promise.prototype,
  Object,
  Array,
  JSON,
];

/** Looks whether the prototypes of everything have something that they had not when it was made. */
export class PollutionWatch {
  readonly #before: readonly ReadonlySet<PropertyKey>[] = SHARED.map((object) => new Set(Reflect.ownKeys(object)));

  /** What was added since; it is taken away, so that the next document is not blamed for it. */
  faults(): string[] {
    const found: string[] = [];
    for (const [index, object] of SHARED.entries()) {
      const keys = Reflect.ownKeys(object);
      const before = this.#before[index] as ReadonlySet<PropertyKey>;
      if (keys.length === before.size) continue;
      const added = keys.filter((key) => !before.has(key));
      for (const key of added) Reflect.deleteProperty(object, key);
      if (added.length > 0)
        found.push(`a prototype or global object got the properties ${added.map(String).join(", ")}`);
    }
    return found;
  }
}
