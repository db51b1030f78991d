import { OF_STORAGE_ROOT } from "./barred.js";

const SENTENCES: Readonly<Record<string, string>> = {
  [OF_STORAGE_ROOT]: "belongs to uwf's storage root, which these tools do not touch",
  ENOENT: "does not exist",
  EACCES: "may not be touched (permission denied)",
  EPERM: "may not be touched (operation not permitted)",
  EISDIR: "is a folder",
  ENOTDIR: "leads through something that is no folder",
  ELOOP: "has become a link meanwhile, which is not followed",
  ENXIO: "is no regular file",
  ENOSPC: "cannot be written: no space left on the device",
  EROFS: "cannot be written: the file system is read-only",
  ENAMETOOLONG: "has a name that is too long",
};

/** What the system said about a path, as a sentence for the model; anything else is a bug and goes on. */
export function refusal(path: string, error: unknown): { readonly ok: false; readonly reason: string } {
  if (!(error instanceof Error && "code" in error)) throw error;
  return { ok: false, reason: `${path || "."} ${SENTENCES[String(error.code)] ?? error.message}` };
}
