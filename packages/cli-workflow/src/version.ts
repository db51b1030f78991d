import { packageVersion } from "@uncaged/workflow-util";

/** The version of uwf, from its own package.json beside the bundle. */
export function ownVersion(): string {
  return packageVersion(import.meta.dirname);
}
