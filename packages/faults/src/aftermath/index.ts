export { type Owed, owedSteps, startsOf } from "./owed.js";
export { type Aftermath, survive, type Tell } from "./survive.js";
