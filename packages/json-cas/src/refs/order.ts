const utf8 = new TextEncoder();

/** The keys as DAG-CBOR sorts them: by length in UTF-8, then by bytes. */
export function canonicalKeys(value: object): readonly string[] {
  return Object.keys(value)
    .map((key) => ({ key, bytes: utf8.encode(key) }))
    .sort((left, right) => left.bytes.length - right.bytes.length || Buffer.compare(left.bytes, right.bytes))
    .map(({ key }) => key);
}
