// `npm run chaos:mail`: a thousand random bodies are spoken to by a person in a hurry while their process dies again and
// again; each word and each signal must count once. `npm run chaos:mail -- --seeds 50 --from 201` does fewer, or others.
import { parseWords } from "../../sim/people/parse-words.ts";
import { errorText } from "../../src/model/fault.ts";
import { liveThrough } from "../loop/mailed-lives.ts";

const { values } = parseWords({
  options: { seeds: { type: "string", default: "1000" }, from: { type: "string", default: "1" } },
});
const [seeds, from] = [Number(values.seeds), Number(values.from)];
if (!Number.isSafeInteger(seeds) || seeds < 1 || !Number.isSafeInteger(from) || from < 1) {
  console.error(
    `chaos:mail: --seeds ${values.seeds} --from ${values.from}: expected whole numbers from 1 on, such as --seeds 50 --from 201`,
  );
  process.exit(2);
}

let deaths = 0;
const bad: string[] = [];
for (let seed = from; seed < from + seeds; seed += 1) {
  try {
    deaths += await liveThrough(seed);
  } catch (error) {
    bad.push(errorText(error));
    console.error(errorText(error));
  }
  if ((seed - from + 1) % 500 === 0) console.error(`${String(seed - from + 1)} of ${String(seeds)} bodies`);
}
console.log(`${String(seeds)} bodies, ${String(deaths)} deaths; ${String(bad.length)} violations`);
process.exit(bad.length === 0 ? 0 : 1);
