// `npm run chaos:trees`: a thousand generated trees are snapshotted, changed and restored; each must come back equal.
// `npm run chaos:trees -- --trees 50 --from 201` does fewer, or others. The seed of a tree that does not is printed.
import { parseWords } from "../../sim/people/parse-words.ts";
import { liveAndRestore } from "../workspace/tree-life.ts";

const { values } = parseWords({
  options: { trees: { type: "string", default: "1000" }, from: { type: "string", default: "1" } },
});
const [trees, from] = [Number(values.trees), Number(values.from)];
if (!Number.isSafeInteger(trees) || trees < 1 || !Number.isSafeInteger(from) || from < 1) {
  console.error(
    `chaos:trees: --trees ${values.trees} --from ${values.from}: expected whole numbers from 1 on, such as --trees 50 --from 201`,
  );
  process.exit(2);
}

const failed: number[] = [];
for (let seed = from; seed < from + trees; seed += 1) {
  try {
    await liveAndRestore(seed);
  } catch (error) {
    failed.push(seed);
    console.error(`seed ${String(seed)}: ${error instanceof Error ? error.message : String(error)}`);
  }
  if ((seed - from + 1) % 50 === 0) console.error(`${String(seed - from + 1)} of ${String(trees)} trees`);
}
console.log(
  failed.length === 0
    ? `${String(trees)} trees came back equal`
    : `${String(failed.length)} of ${String(trees)} trees did not come back: seeds ${failed.join(", ")}`,
);
process.exitCode = failed.length === 0 ? 0 : 1;
