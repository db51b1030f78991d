type Sha256 = { readonly update: (data: string | Uint8Array) => unknown; readonly digest: () => Buffer };

type Runtime = { readonly Bun?: { readonly CryptoHasher: new (algorithm: "sha256") => Sha256 } };

const builtIn = (globalThis as unknown as Runtime).Bun?.CryptoHasher;

/** A running SHA-256. node:crypto costs bun 6 ms, which has another one built in. */
export function sha256() {
  const hash: Sha256 =
    builtIn === undefined
      ? process.getBuiltinModule("node:crypto").createHash("sha256")
      : new builtIn("sha256");
  return {
    update: (data: string | Uint8Array): void => {
      hash.update(data);
    },
    digest: (): Buffer => hash.digest(),
  };
}

export type PackEntries = {
  readonly size: () => number;
  readonly add: (high: number, low: number, offset: number, length: number) => void;
  readonly high: (entry: number) => number;
  readonly low: (entry: number) => number;
  readonly offset: (entry: number) => number;
  readonly length: (entry: number) => number;
};

/** What goes into an index: 20 bytes per node. */
export function packEntries(): PackEntries {
  let [highs, lows, lengths, offsets] = [
    new Uint32Array(1024),
    new Uint32Array(1024),
    new Uint32Array(1024),
    new Float64Array(1024),
  ];
  let size = 0;
  const grow = (): void => {
    const larger = <T extends Uint32Array | Float64Array>(array: T, made: T): T => {
      made.set(array);
      return made;
    };
    highs = larger(highs, new Uint32Array(size * 2));
    lows = larger(lows, new Uint32Array(size * 2));
    lengths = larger(lengths, new Uint32Array(size * 2));
    offsets = larger(offsets, new Float64Array(size * 2));
  };
  return {
    size: () => size,
    add: (high, low, offset, length) => {
      if (size === highs.length) grow();
      highs[size] = high;
      lows[size] = low;
      offsets[size] = offset;
      lengths[size] = length;
      size += 1;
    },
    high: (entry) => highs[entry] ?? 0,
    low: (entry) => lows[entry] ?? 0,
    offset: (entry) => offsets[entry] ?? 0,
    length: (entry) => lengths[entry] ?? 0,
  };
}
