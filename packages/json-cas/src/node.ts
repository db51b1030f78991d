import type { JsonValue } from "@uncaged/json-schema";

export type { JsonObject, JsonValue } from "@uncaged/json-schema";

declare const hashBrand: unique symbol;

/** XXH64 of a node as 13 characters of Crockford Base32, upper case, first one 0..F. */
export type Hash = string & { readonly [hashBrand]: true };

/** `type` is the hash of the JSON Schema node of `payload`; `timestamp` is the epoch ms of the first put and is not hashed. */
export type CasNode<T = JsonValue> = {
  readonly type: Hash;
  readonly payload: T;
  readonly timestamp: number;
};

/**
 * Where nodes live. Readers are synchronous and give `null` for what is absent;
 * what is present but damaged throws `CasError` `NODE_DAMAGED`.
 */
export type Store = {
  /** Stores the payload under its type and returns its hash; nothing is written when the payload is refused. */
  readonly put: (type: Hash, payload: JsonValue) => Promise<Hash>;
  readonly get: (hash: Hash) => CasNode | null;
  readonly has: (hash: Hash) => boolean;
  readonly listByType: (type: Hash) => readonly Hash[];
  readonly list: () => readonly Hash[];
};
