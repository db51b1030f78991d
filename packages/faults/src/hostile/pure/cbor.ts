import fc from "fast-check";

// CBOR as an enemy writes it: any length behind any head, indefinite forms, tags, floats of every size, bad UTF-8.

const concat = (parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));

/** The head of an item: a major type and an argument, not always in the shortest form. */
function head(major: number, argument: number, width: number): Uint8Array {
  if (width === 0) return Uint8Array.of((major << 5) | Math.min(argument, 23));
  const bytes = Buffer.alloc(1 + width);
  bytes[0] = (major << 5) | (23 + Math.log2(width) + 1);
  if (width === 8) bytes.writeBigUInt64BE(BigInt(argument), 1);
  else bytes.writeUIntBE(argument % 2 ** (8 * width), 1, width);
  return new Uint8Array(bytes);
}

const width = fc.constantFrom(0, 0, 0, 1, 2, 4, 8);
const size = fc.oneof(
  { weight: 5, arbitrary: fc.nat({ max: 30 }) },
  { weight: 1, arbitrary: fc.nat({ max: 2 ** 31 - 1 }) },
);

const integer = fc
  .tuple(fc.constantFrom(0, 1), size, width)
  .map(([major, value, wide]) => head(major, value, wide));

const simple = fc.oneof(
  fc.nat({ max: 31 }).map((value) => Uint8Array.of(0xe0 | value)),
  fc
    .tuple(fc.constantFrom(0xf8, 0xf9, 0xfa, 0xfb), fc.uint8Array({ minLength: 8, maxLength: 8 }))
    .map(([first, bytes]) => Uint8Array.of(first, ...bytes.subarray(0, 2 ** (first - 0xf8)))),
);

const bytesOrText = fc
  .tuple(fc.constantFrom(2, 3), fc.uint8Array({ maxLength: 30 }), width, fc.nat({ max: 3 }))
  .map(([major, bytes, wide, lie]) =>
    concat([head(major, lie === 0 ? bytes.length + 5 : bytes.length, wide), bytes]),
  );

/** One item, with more inside; lengths lie now and then. */
export const cborItem: fc.Arbitrary<Uint8Array> = fc.letrec<{ item: Uint8Array }>((tie) => ({
  item: fc.oneof(
    { depthSize: "small" },
    integer,
    simple,
    bytesOrText,
    fc
      .tuple(fc.constantFrom(4, 5), fc.array(tie("item"), { maxLength: 6 }), width)
      .map(([major, items, wide]) => concat([head(major, items.length >> (major - 4), wide), ...items])),
    fc
      .tuple(fc.nat({ max: 300 }), width, tie("item"))
      .map(([tag, wide, item]) => concat([head(6, tag, wide), item])),
    fc
      .tuple(fc.constantFrom(0x5f, 0x7f, 0x9f, 0xbf), fc.array(tie("item"), { maxLength: 4 }))
      .map(([first, items]) => concat([Uint8Array.of(first), ...items, Uint8Array.of(0xff)])),
  ),
})).item;
