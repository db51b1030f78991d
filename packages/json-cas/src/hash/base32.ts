const ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** Characters of a hash: 64 bits of 5 each. */
export const HASH_LENGTH = 13;

const BITS = 5n;
const MASK = 31n;

/** A u64 in Crockford Base32, most significant digit first; 13 digits carry 65 bits, so the first is 0..F. */
export function base32(value: bigint): string {
  let rest = value;
  let text = "";
  for (let digit = 0; digit < HASH_LENGTH; digit += 1) {
    text = ALPHABET.charAt(Number(rest & MASK)) + text;
    rest >>= BITS;
  }
  return text;
}
