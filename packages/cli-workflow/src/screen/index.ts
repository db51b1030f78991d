export { ago, bytes, count, counted, duration, money, summaryOf } from "@uncaged/workflow-util";
export { type Field, renderFields, wrapped } from "./fields.js";
export { lines, nextCommand } from "./lines.js";
export { logLines, logTable } from "./log-table.js";
export { type Paint, paintOn } from "./paint.js";
export { renderProblems, type ShownFile, wordAt } from "./problems.js";
export {
  type Colour,
  type Human,
  isUnicode,
  type Screen,
  screenOf,
  USUAL_WIDTH,
  watcherOf,
} from "./screen.js";
export { shortIds } from "./short-ids.js";
export { heldState, paintOf, stateCell } from "./states.js";
export {
  type Cell,
  type Column,
  cut,
  left,
  oneLine,
  type Row,
  renderTable,
  right,
  shrinking,
  tableWriter,
  widthOf,
} from "./table.js";
export { firstLine, taskLine, withoutHeading } from "./task.js";
