import { processHost } from "../io/index.js";
import { main } from "../main.js";

process.exit(await main(process.argv.slice(2), processHost()));
