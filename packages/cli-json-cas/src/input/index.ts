export { readJsonArgument } from "./json-argument.js";
