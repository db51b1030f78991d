import { packageVersion } from "@uncaged/workflow-util";

/** The version of uwf, from its own package.json, two folders above both this source and the bundles. */
export function ownVersion(): string {
  return packageVersion(import.meta.dirname);
}
