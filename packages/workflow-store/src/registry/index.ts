export { readRegistry, setRegistry } from "./registry.js";
