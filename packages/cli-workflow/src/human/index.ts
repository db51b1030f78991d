export { bytes, count, counted, money } from "./amounts.js";
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
  type TableWriter,
  tableWriter,
  widthOf,
} from "./table.js";
export { ago, duration } from "./time.js";
