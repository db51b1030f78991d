const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Characters of a hash: 64 bits of 5 each. */
export const HASH_LENGTH = 13;

/** A number of 64 bits as two of 32: arithmetic on a bigint takes longer than hashing a node. */
const halves = new DataView(new ArrayBuffer(8));

/** A u64 in Crockford Base32, most significant digit first; 13 digits carry 65 bits, so the first is 0..F. */
export function base32(value: bigint): string {
  halves.setBigUint64(0, value);
  const high = halves.getUint32(0);
  const low = halves.getUint32(4);
  const middle = ((high & 0x0fffffff) << 2) | (low >>> 30);
  return ALPHABET.charAt(high >>> 28) + sixDigits(middle) + sixDigits(low & 0x3fffffff);
}

/** 30 bits. */
function sixDigits(bits: number): string {
  let text = "";
  for (let shift = 25; shift >= 0; shift -= 5) text += ALPHABET.charAt((bits >>> shift) & 31);
  return text;
}
