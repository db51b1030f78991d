export { contextOf, fail, failThrown, print } from "./session.js";
