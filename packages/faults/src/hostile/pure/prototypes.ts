const PROTOTYPES: readonly (readonly [string, object])[] = [
  ["Object.prototype", Object.prototype],
  ["Array.prototype", Array.prototype],
  ["Function.prototype", Function.prototype],
  ["String.prototype", String.prototype],
  ["Number.prototype", Number.prototype],
  ["Promise.prototype", Promise.prototype],
  ["RegExp.prototype", RegExp.prototype],
  ["Map.prototype", Map.prototype],
  ["Object", Object],
];

/** Remembers the prototypes as they are now; `changed` names what was added, taken or replaced since. */
export function prototypeMarks(): { readonly changed: () => string | null } {
  const before = PROTOTYPES.map(([name, object]) => ({ name, object, members: membersOf(object) }));
  const changed = (): string | null => {
    for (const { name, object, members } of before) {
      const added = Reflect.ownKeys(object).find((key) => !members.has(key));
      if (added !== undefined) return `${name} got the member ${String(added)}`;
      for (const [key, value] of members) {
        if (memberAt(object, key) !== value) return `${name} has another ${String(key)}`;
      }
    }
    return null;
  };
  return { changed };
}

function membersOf(object: object): ReadonlyMap<PropertyKey, unknown> {
  return new Map(Reflect.ownKeys(object).map((key) => [key, memberAt(object, key)]));
}

/** Getters are compared, not called. */
function memberAt(object: object, key: PropertyKey): unknown {
  const descriptor = Reflect.getOwnPropertyDescriptor(object, key);
  return descriptor?.get ?? descriptor?.value;
}
