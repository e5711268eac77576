import { tried, type Attack, type Stage, type Tried } from "../attack.ts";
import { EvidenceStage } from "./evidence-stage.ts";

/** Who rewrites what was shown, and how the run is ordered. */
const WAYS: readonly { readonly who: string; readonly words: readonly string[]; readonly hold?: true }[] = [
  {
    who: "a process in a session of its own, left behind with its mark",
    words: ["--agent", "leaver", "--check", "grep -q right answer.txt && touch checked && sleep 2"],
  },
  {
    who: "a process that hides every mark and never stops",
    words: ["--agent", "hider", "--check", "test -s answer.txt; sleep 0.3"],
  },
  {
    who: "a reviewer that writes into the real tree",
    words: ["--agent", "honest", "--check", "grep -q right answer.txt", "--reviewer", "meddler"],
  },
  {
    who: "a process that waits for the moment between evidence and commit",
    words: ["--agent", "waiter", "--check", "grep -q right answer.txt"],
    hold: true,
  },
];

async function rewrite({ count }: Stage): Promise<Tried> {
  const stage = new EvidenceStage();
  const succeeded: string[] = [];
  const ways = WAYS.slice(0, count);
  try {
    for (const [at, { who, words, hold }] of ways.entries()) {
      stage.clear();
      if (hold === true) stage.hold();
      const head = stage.git("rev-parse", "HEAD");
      await stage.bench.call(["run", "it", ...words, "--id", `r${String(at)}`]);
      stage.endLeft();
      const commits = stage.git("log", "--format=%H", `${head}..HEAD`).split("\n").filter(Boolean);
      const texts = commits.map((commit) => stage.git("show", `${commit}:answer.txt`));
      if (texts.some((text) => !/^(right\n?)+$/.test(text)))
        succeeded.push(`${who}: what was committed is not what was checked`);
      stage.git("checkout", "-q", "--force", "HEAD");
    }
    return tried(ways.length, succeeded);
  } finally {
    await stage.close();
  }
}

// The same are in evidence.e2e.ts in `npm test`, with what is recorded of them.
export const attacks: readonly Attack[] = [
  {
    ...{ threat: "evidence", level: "any", promised: "prevented" },
    title: "files are rewritten between a check, a review and the commit that they are to prove",
    count: { full: WAYS.length, short: 0 },
    run: rewrite,
  },
];
