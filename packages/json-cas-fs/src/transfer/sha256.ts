/** A running SHA-256. node:crypto costs bun 6 ms, so it is looked up where it is used. */
export function sha256() {
  const hash = process.getBuiltinModule("node:crypto").createHash("sha256");
  return {
    update: (data: string | Uint8Array): void => {
      hash.update(data);
    },
    hex: (): string => hash.digest("hex"),
  };
}

export function sha256Of(bytes: Uint8Array): string {
  const sum = sha256();
  sum.update(bytes);
  return sum.hex();
}
