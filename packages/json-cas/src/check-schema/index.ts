export { checkSchema } from "./check-schema.js";
