import type { JsonValue } from "@uncaged/json-cas";
import fc from "fast-check";
import { corpus } from "../corpus/index.js";

/** Names that every object has without being asked. */
export const PROTOTYPE_NAMES = [
  "__proto__",
  "constructor",
  "prototype",
  "toString",
  "valueOf",
  "hasOwnProperty",
  "__defineGetter__",
  "then",
  "length",
] as const;

/** What looks like an id and is none, or is one of nothing. */
export const hashLike = fc.oneof(
  fc.string({ unit: fc.constantFrom(..."0123456789ABCDEFGHJKMNPQRSTVWXYZ"), minLength: 1, maxLength: 27 }),
  fc.string({ unit: fc.constantFrom(..."0123456789abcdefILOUilou./\u0000"), minLength: 1, maxLength: 27 }),
);

/** Texts that have broken programs before: other planes, lone surrogates, control sequences, paths, prototype names. */
export const nastyText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc.string({ unit: "binary", maxLength: 40 }),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 })
    .map((units) => String.fromCharCode(...units)),
  fc.constantFrom(...PROTOTYPE_NAMES),
  fc.constantFrom(...corpus("terminal")),
  fc.constantFrom(...corpus("paths")),
  hashLike,
);

/** A key of a map. */
export const keyText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...PROTOTYPE_NAMES),
  fc.constantFrom("name", "roles", "meta", "type", "$ref", "a", "b", ""),
  nastyText,
);

/** Any JSON value, with keys that collide with prototypes as own properties. */
export const anyJson: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.oneof(
      fc.constantFrom<JsonValue>(null, true, false, 0, -0, 1.5, 1e308, 5e-324, 2 ** 53, -(2 ** 63)),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      nastyText,
    ),
    fc.array(tie("value"), { maxLength: 5 }),
    fc.array(fc.tuple(keyText, tie("value")), { maxLength: 5 }).map((entries) => Object.fromEntries(entries)),
  ),
})).value;
