export { connect } from "./connect.js";
export type { Answer, Connection, ConnectionSpec, Limits } from "./types.js";
