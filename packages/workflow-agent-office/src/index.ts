/// <reference types="node" preserve="true" />
export { office, type Port } from "./office/index.js";
