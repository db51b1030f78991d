// Where the references are in the bytes of a node whose hash was checked: they are what was once encoded here, so nothing
// of their form is checked again.

/** Where a reader is in bytes that are canonical DAG-CBOR. */
export type Skim = { readonly bytes: Uint8Array; at: number };

export const SKIM = { text: 3, array: 4, map: 5 } as const;

/** The major type of the item at the cursor. */
export function majorAt({ bytes, at }: Skim): number {
  return (bytes[at] ?? 0) >> 5;
}

/** Reads an item's head and gives its argument: a length. */
export function readLength(skim: Skim): number {
  const { bytes, at } = skim;
  const info = (bytes[at] ?? 0) & 31;
  skim.at = at + 1;
  if (info < 24) return info;
  const width = 1 << (info - 24);
  skim.at += width;
  let value = 0;
  for (let index = 1; index <= width; index += 1) value = value * 256 + (bytes[at + index] ?? 0);
  return value;
}

/** Goes past an item. */
export function skipItem(skim: Skim): void {
  let left = 1;
  while (left > 0 && skim.at < skim.bytes.length) {
    const major = majorAt(skim);
    const length = readLength(skim);
    left -= 1;
    if (major === SKIM.text) skim.at += length;
    else if (major === SKIM.array) left += length;
    else if (major === SKIM.map) left += length * 2;
  }
}
