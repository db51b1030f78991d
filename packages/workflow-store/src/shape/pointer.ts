/** The JSON Pointer of `key` below `parent`. */
export function below(parent: string, key: string | number): string {
  return `${parent}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

export function segmentsOf(pointer: string): readonly string[] {
  if (pointer === "") return [];
  return pointer
    .slice(1)
    .split("/")
    .map((segment) => segment.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** How a sentence calls the place: `goal`, `capabilities[1]`, `the document`. */
export function nameOf(pointer: string): string {
  const segments = segmentsOf(pointer);
  const last = segments.at(-1);
  if (last === undefined) return "the document";
  const parent = segments.at(-2);
  return parent !== undefined && /^\d+$/.test(last) ? `${parent}[${last}]` : last;
}
