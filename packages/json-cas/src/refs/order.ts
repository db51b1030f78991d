/** Keys as DAG-CBOR sorts them: by length in UTF-8, then by bytes. */
export function canonicalOrder(keys: readonly string[]): readonly string[] {
  return [...keys].sort(compareKeys);
}

function compareKeys(left: string, right: string): number {
  const difference = Buffer.byteLength(left) - Buffer.byteLength(right);
  return difference === 0 ? Buffer.compare(Buffer.from(left), Buffer.from(right)) : difference;
}
