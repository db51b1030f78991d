import { type Hash, isHash, isObject, type JsonObject, type JsonValue } from "@uncaged/json-cas";

/** What a pack says of itself at its end. */
export type Footer = {
  readonly nodes: number;
  /** What the program that wrote an export adds; empty in a store. */
  readonly entries: readonly JsonObject[];
  /** What an export was made of; empty in a store. */
  readonly roots: readonly Hash[];
};

/** Bytes of a footer. */
export const FOOTER_LIMIT = 8 * 1024 * 1024;

export function footerText({ nodes, entries, roots }: Footer): string {
  return JSON.stringify({ nodes, entries, roots });
}

/** `null` for anything but the one form of a footer. */
export function parseFooter(text: string): Footer | null {
  const value = parsed(text);
  if (!isObject(value)) return null;
  const { nodes, entries, roots } = value;
  if (!Number.isSafeInteger(nodes) || !Array.isArray(entries) || !Array.isArray(roots)) return null;
  if (!entries.every(isObject) || !roots.every(isHash)) return null;
  const footer = { nodes: Number(nodes), entries, roots };
  return footerText(footer) === text ? footer : null;
}

function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return null;
  }
}
