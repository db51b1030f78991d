import * as commandLine from "@uncaged/command-line";
import * as cas from "@uncaged/json-cas";
import * as casFs from "@uncaged/json-cas-fs";
import * as engine from "@uncaged/workflow-engine";
import * as protocol from "@uncaged/workflow-protocol";
import * as store from "@uncaged/workflow-store";
import * as util from "@uncaged/workflow-util";
import * as own from "./for-add-ons.js";

/** All that an add-on may import of uwf, by what it imports it as: its built file takes it from here (scripts/bins/add-on.ts). */
export const CORE = {
  "@uncaged/command-line": commandLine,
  "@uncaged/json-cas": cas,
  "@uncaged/json-cas-fs": casFs,
  "@uncaged/workflow-engine": engine,
  "@uncaged/workflow-protocol": protocol,
  "@uncaged/workflow-store": store,
  "@uncaged/workflow-util": util,
  "@uncaged/cli-workflow/add-on": own,
} as const;
