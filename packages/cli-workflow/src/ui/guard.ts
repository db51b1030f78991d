import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";

/** What a request is refused with before anything is read. */
type Refusal = { readonly status: 421 | 403 | 401; readonly error: string };

type Guarded = {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
  readonly port: number;
  readonly token: string;
};

/**
 * A page of another site can reach 127.0.0.1, but it cannot choose the Host that its browser sends (nor after DNS
 * rebinding), it says where it comes from, and it does not know the token. The order is that of the cost of a look.
 */
export function refusalOf({ method, headers, port, token }: Guarded): Refusal | null {
  const own = `127.0.0.1:${port}`;
  if (headers.host !== own) return { status: 421, error: `this server is ${own} only` };
  const { origin } = headers;
  const isForeign = origin === undefined ? method !== "GET" : origin !== `http://${own}`;
  if (isForeign) return { status: 403, error: "requests of other pages are refused" };
  if (!isSame(headers.authorization ?? "", `Bearer ${token}`))
    return { status: 401, error: "the token is missing or wrong: open the address that `uwf ui` printed" };
  return null;
}

/** The page itself holds nothing, and is asked for before it has the token. */
export function refusalOfPage(guarded: Omit<Guarded, "token">): Refusal | null {
  const refusal = refusalOf({ ...guarded, token: "" });
  return refusal?.status === 401 ? null : refusal;
}

/** Takes as long whatever is given. */
function isSame(given: string, wanted: string): boolean {
  const sum = (text: string): Buffer => createHash("sha256").update(text).digest();
  return timingSafeEqual(sum(given), sum(wanted));
}
