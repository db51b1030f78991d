/** Bytes that are not a node or not the one DAG-CBOR form of a value; `message` is the reason. */
export class DecodeError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = "DecodeError";
  }
}
