import fc from "fast-check";

/** A place as a part of the whole, so that it stays meaningful while the text changes. */
const place = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });

type Edit<Piece> =
  | { readonly kind: "insert"; readonly at: number; readonly piece: Piece }
  | { readonly kind: "remove"; readonly at: number; readonly length: number }
  | { readonly kind: "repeat"; readonly at: number; readonly length: number; readonly times: number }
  | { readonly kind: "cut"; readonly at: number };

function edits<Piece>(piece: fc.Arbitrary<Piece>): fc.Arbitrary<readonly Edit<Piece>[]> {
  const length = fc.nat({ max: 40 });
  return fc.array(
    fc.oneof(
      { weight: 5, arbitrary: fc.record({ kind: fc.constant("insert" as const), at: place, piece }) },
      { weight: 3, arbitrary: fc.record({ kind: fc.constant("remove" as const), at: place, length }) },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant("repeat" as const),
          at: place,
          length,
          times: fc.nat({ max: 9 }),
        }),
      },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant("cut" as const), at: place }) },
    ),
    { minLength: 1, maxLength: 6 },
  );
}

/** A text with some places changed; `pieces` are what is put in. */
export function mutatedText(base: string, pieces: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return edits(pieces).map((made) => made.reduce(editText, base));
}

function editText(text: string, edit: Edit<string>): string {
  const at = Math.floor(edit.at * text.length);
  if (edit.kind === "insert") return text.slice(0, at) + edit.piece + text.slice(at);
  if (edit.kind === "cut") return text.slice(0, at);
  const end = at + edit.length;
  if (edit.kind === "remove") return text.slice(0, at) + text.slice(end);
  return text.slice(0, end) + text.slice(at, end).repeat(edit.times) + text.slice(end);
}

/** Bytes with some places changed. */
export function mutatedBytes(base: Uint8Array, pieces: fc.Arbitrary<Uint8Array>): fc.Arbitrary<Uint8Array> {
  return edits(pieces).map((made) => made.reduce(editBytes, base));
}

function editBytes(bytes: Uint8Array, edit: Edit<Uint8Array>): Uint8Array {
  const at = Math.floor(edit.at * bytes.length);
  const end = edit.kind === "remove" || edit.kind === "repeat" ? at + edit.length : at;
  const parts = [bytes.subarray(0, at)];
  if (edit.kind === "insert") parts.push(edit.piece, bytes.subarray(at));
  if (edit.kind === "remove") parts.push(bytes.subarray(end));
  if (edit.kind === "repeat") {
    for (let time = 0; time <= edit.times; time += 1) parts.push(bytes.subarray(at, end));
    parts.push(bytes.subarray(end));
  }
  return new Uint8Array(Buffer.concat(parts));
}
