import { CasError, type Hash } from "@uncaged/json-cas";

export function damaged(hash: Hash, file: string, reason: string): CasError {
  return new CasError({ code: "NODE_DAMAGED", hash, file, reason });
}
