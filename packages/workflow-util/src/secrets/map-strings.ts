/** The value with every string in it changed, names of members included; what is no JSON stays as it is. */
export function mapStrings<T>(value: T, change: (text: string) => string): T {
  return mapped(value, change) as T;
}

function mapped(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => mapped(item, change));
  if (!isPlainObject(value)) return value;
  // `fromEntries` makes own members, also of names like `__proto__`.
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [change(name), mapped(member, change)]),
  );
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
