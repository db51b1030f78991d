import { isObject, LAST_TIME } from "@uncaged/json-cas";

// The gate from JSON in the storage root to records: a person, another program or a damaged disk may have changed it.

type Fields = Readonly<Record<string, unknown>>;

/** What a record has to be: `read` gives `null` for anything else. */
export type RecordShape<T> = {
  readonly read: (record: Fields) => T | null;
  /** The end of a sentence about anything else: `it is not {thread, at}`. */
  readonly otherwise: string;
};

/** The shape of a record with these fields, each with its check; others are passed over. */
export function shapeOf<T extends object>(
  checks: {
    readonly [Name in keyof T]: (value: unknown) => value is T[Name];
  },
): RecordShape<T> {
  const fields = Object.entries<(value: unknown) => boolean>(checks);
  return {
    read: (record) => {
      const read: Record<string, unknown> = {};
      for (const [name, isFit] of fields) {
        const value = record[name];
        if (!isFit(value)) return null;
        read[name] = value;
      }
      return read as T;
    },
    otherwise: `it is not {${Object.keys(checks).join(", ")}}`,
  };
}

export function isText(value: unknown): value is string {
  return typeof value === "string";
}

export function isFlag(value: unknown): value is boolean {
  return typeof value === "boolean";
}

/** A time that a date can be. */
export function isEpochMs(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= LAST_TIME;
}

export function isAmount(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && Number.isFinite(value);
}

export function orNull<T>(isFit: (value: unknown) => value is T): (value: unknown) => value is T | null {
  return (value): value is T | null => value === null || isFit(value);
}

/** What JSON text holds; `null` for any other text. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The same, when that is an object; `null` for anything else. */
export function parseRecord(text: string): Fields | null {
  const value = parseJson(text);
  return isObject(value) ? value : null;
}
