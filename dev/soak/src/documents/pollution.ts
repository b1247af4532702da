/** Shared objects of JavaScript, which no document may change. */
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

type Properties = ReadonlyMap<PropertyKey, PropertyDescriptor>;

const propertiesOf = (object: object): Properties =>
  new Map(
    Reflect.ownKeys(object).map((key) => [key, Reflect.getOwnPropertyDescriptor(object, key) as PropertyDescriptor]),
  );

/** Checks that the built-in prototypes are unchanged since its creation. */
export class PollutionWatch {
  readonly #before: readonly Properties[] = SHARED.map(propertiesOf);

  /**
   * Properties that were added, changed or removed since; they are restored, so that later documents are not blamed.
   */
  faults(): string[] {
    return SHARED.flatMap((object, index) => {
      const [before, now] = [this.#before[index] as Properties, propertiesOf(object)];
      const changed = [...new Set([...before.keys(), ...now.keys()])].filter(
        (key) => !isSame(before.get(key), now.get(key)),
      );
      for (const key of changed) restore(object, key, before.get(key));
      if (changed.length === 0) return [];
      return [`a prototype or global object has changed properties: ${changed.map(String).join(", ")}`];
    });
  }
}

function isSame(before: PropertyDescriptor | undefined, now: PropertyDescriptor | undefined): boolean {
  const parts = ["value", "get", "set", "writable", "enumerable", "configurable"] as const;
  return (
    (before === undefined) === (now === undefined) && parts.every((part) => Object.is(before?.[part], now?.[part]))
  );
}

function restore(object: object, key: PropertyKey, before: PropertyDescriptor | undefined): void {
  if (before === undefined) Reflect.deleteProperty(object, key);
  else Reflect.defineProperty(object, key, before);
}
