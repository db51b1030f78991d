export type { CasNode, Hash, JsonObject, JsonValue, Store } from "./types.js";
