import { verifyStore, createUsage } from "/work/h2/packs/packages/json-cas-fs/src/index.ts";
const t=performance.now(); const f=verifyStore(process.argv[2]!, () => {}); console.log(f.nodes, f.damaged, performance.now()-t);
const u=performance.now(); createUsage(process.argv[2]!).figures(); console.log(performance.now()-u);
