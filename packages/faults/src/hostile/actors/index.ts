export { AUTHOR, SAY, saying } from "./agents.js";
export { type Endpoint, type Move, openEndpoint } from "./endpoint.js";
