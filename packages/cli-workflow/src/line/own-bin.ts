import { packageVersion } from "@uncaged/workflow-util";

/** The folder of this package's launchers, two folders above both this source and the bundles. */
export const OWN_BIN: string = `${import.meta.dirname}/../../bin`;

/** Our own launcher: threads are stepped by the program that steps their parents. */
export const OWN_UWF: string = `${OWN_BIN}/uwf`;

/** The version of uwf, from its own package.json, two folders above both this source and the bundles. */
export function ownVersion(): string {
  return packageVersion(import.meta.dirname);
}
