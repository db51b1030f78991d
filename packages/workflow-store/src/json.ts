import { isObject, LAST_TIME } from "@uncaged/json-cas";

/** What JSON text holds, when that is an object; `null` for anything else. */
export function parseRecord(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** The elements of JSON text that holds a list; none for anything else. */
export function parseList(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [];
  } catch (error) {
    if (error instanceof SyntaxError) return [];
    throw error;
  }
}

/** A time that a date can be. */
export function isEpochMs(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= LAST_TIME;
}
