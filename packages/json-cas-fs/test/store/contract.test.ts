import { join } from "node:path";
import { runStoreContract } from "../../../json-cas/test/store-contract.js";
import { createFsStore } from "../../src/index.js";
import { temporaryDir } from "../support/temp.js";

runStoreContract("filesystem store", (options) => createFsStore(join(temporaryDir(), "cas"), options));
