import { resolveHash } from "@uncaged/json-cas";
import { err, fault } from "@uncaged/workflow-protocol";
import {
  attempt,
  attemptAsync,
  newFile,
  putFile,
  readStoredFile,
  readWorkingFile,
} from "@uncaged/workflow-store";
import type { CommandContext, CommandResult } from "../../line/index.js";
import { document, text } from "../output.js";
import { writeToFile } from "../output-file.js";

type PutRequest = { readonly path: string; readonly mediaType: string | null };

/** Stores a file as a `file` node, for a role's `cas_ref` field. */
export async function casFilePut(context: CommandContext, { path, mediaType }: PutRequest): CommandResult {
  if (mediaType !== null && !/^[\w.+-]+\/[\w.+-]+$/.test(mediaType)) {
    const reason = `${JSON.stringify(mediaType)} is not a media type`;
    return err(fault("USAGE", { reason, usage: "--media-type takes type/subtype, such as text/markdown" }));
  }
  const storage = context.openStorage();
  if (!storage.ok) return storage;
  const { cas, root } = storage.value;
  const bytes = readWorkingFile({ folder: context.host.cwd, storageRoot: root }, path);
  if (!bytes.ok) return bytes;
  const hash = await attemptAsync(() => putFile(cas, newFile(path, bytes.value, mediaType)));
  return hash.ok ? document({ hash: hash.value }, () => `${hash.value}\n`) : hash;
}

type GetRequest = { readonly hash: string; readonly output: string; readonly force: boolean };

/** Writes the bytes of a stored file, once they are checked, to a new file or to stdout (`-`). */
export async function casFileGet(context: CommandContext, request: GetRequest): CommandResult {
  const storage = context.openStorage();
  if (!storage.ok) return storage;
  const { cas } = storage.value;
  const hash = attempt(() => resolveHash(cas, request.hash));
  if (!hash.ok) return hash;
  const file = readStoredFile(cas, hash.value);
  if (!file.ok) return file;
  const { bytes } = file.value;
  const { host } = context;
  if (request.output !== "-") return writeToFile(host, request, bytes);
  host.writeBytes(bytes);
  return text("");
}
