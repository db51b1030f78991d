import type { Fault, Result } from "@uncaged/workflow-protocol";
import { type OwnRoot, ownRoot, type Storage } from "@uncaged/workflow-store";
import type { Host, Messages } from "./host.js";

type Surroundings = Pick<Messages, "warn"> & { readonly host: Pick<Host, "newToken"> };

/** The storage root that a command is about to act in. If it is a copy, uwf says so once. */
export async function nameRoot(
  { host, warn }: Surroundings,
  storage: Storage,
): Promise<Result<OwnRoot, Fault>> {
  const own = await ownRoot(storage, host.newToken);
  if (!own.ok) return own;
  const { copiedFrom } = own.value;
  if (copiedFrom !== null) {
    warn(
      `this storage root was copied or moved here from ${copiedFrom}: from now on it is a root of its own, and a step that is taken in both is paid for twice`,
    );
  }
  return own;
}
