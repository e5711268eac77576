// `npm run chaos:type`: delivers 1,000 random texts (or as many as the first argument says) to a terminal program.
import { deliverTexts } from "./deliveries.ts";

const count = Number(process.argv[2] ?? 1_000);
await deliverTexts(count, (done) => {
  if (done % 100 === 0) console.error(`${String(done)} of ${String(count)}`);
});
console.log(`${String(count)} texts arrived exactly, each once; nothing was executed`);
