import type { Hash } from "@uncaged/json-cas";

declare const threadBrand: unique symbol;
declare const refBrand: unique symbol;

/** A reference to a node: json-cas's branded hash. */
export type CasRef = Hash;

/** A reference typed by what it refers to. */
export type Ref<T> = CasRef & { readonly [refBrand]?: T };

/** A standard ULID, 26 characters, upper case. */
export type ThreadId = string & { readonly [threadBrand]: true };
