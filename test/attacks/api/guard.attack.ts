import { request, Agent } from "node:http";
import { playForeignPages } from "../../api/guard/foreign-pages.ts";
import { playHosts, playMatrix, playSimpleWrites } from "../../api/guard/guard-matrix.ts";
import { GuardStage } from "../../api/guard/guard-stage.ts";
import { noBrowser } from "../../web/browser.ts";
import { tried, type Attack, type Stage, type Tried } from "../attack.ts";

type Play = (stage: GuardStage, order: Stage) => Promise<{ tried: number; succeeded: string[] }>;

const GUESSES_AT_ONCE = 100;

/** Plays it against a server of its own; what changed a journal has succeeded, no matter what was answered. */
const against =
  (...plays: readonly Play[]) =>
  async (order: Stage): Promise<Tried> => {
    const stage = new GuardStage();
    try {
      await stage.open();
      let count = 0;
      const succeeded: string[] = [];
      for (const play of plays) {
        const played = await play(stage, order);
        count += played.tried;
        succeeded.push(...played.succeeded);
      }
      if (!(await stage.isUntouched())) succeeded.push("the journal of a run was written");
      return tried(count, succeeded);
    } finally {
      await stage.close();
    }
  };

/** Wrong tokens, many at once: none is accepted, and the right one still is. */
async function guess(
  { bench }: GuardStage,
  { count }: Stage,
): Promise<{ tried: number; succeeded: string[] }> {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const statuses = new Map<number, number>();
  const one = (nth: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer hf_guess${String(nth)}` };
      request({ agent, host: "127.0.0.1", port: bench.port, path: "/api/v1/me", headers }, (response) => {
        const { statusCode = 0 } = response;
        statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1);
        response.resume().on("end", resolve);
      })
        .on("error", reject)
        .end();
    });
  for (let nth = 0; nth < count; nth += GUESSES_AT_ONCE)
    await Promise.all(Array.from({ length: GUESSES_AT_ONCE }, (_, more) => one(nth + more)));
  agent.destroy();
  const accepted = [...statuses].filter(([status]) => status !== 401 && status !== 429);
  const succeeded = accepted.map(([status, times]) => `${String(times)} guesses: ${String(status)}`);
  const { name } = await bench.client.whoAmI({});
  return { tried: count, succeeded: name === "" ? [...succeeded, "the owner is shut out"] : succeeded };
}

/** Every read leaves every journal as it was: a link or a picture of a page can do no more. */
async function read(stage: GuardStage): Promise<{ tried: number; succeeded: string[] }> {
  const reads = stage.routes.filter(({ isWrite, sends }) => !isWrite && sends !== "stream");
  for (const { name } of reads) {
    const { target, ...rest } = stage.requestFor(name);
    const query = name === "waitRun" ? "?timeout=100ms" : name === "diffRuns" ? "?a=hello&b=hello" : "";
    await stage.send({ ...rest, target: target + query, headers: [stage.bearer] });
  }
  return { tried: reads.length, succeeded: [] };
}

const common = { level: "any", promised: "prevented" } as const;

// test/api/guard plays them whole in `npm test`.
export const attacks: readonly Attack[] = [
  {
    ...{ threat: "T1", ...common, count: { full: 1, short: 0 } },
    title: "every route is asked by other names and spellings of the host",
    run: against(playHosts, (stage) => playMatrix(stage, ["T1"])),
  },
  {
    ...{ threat: "T1", ...common, count: { full: 1, short: 0 } },
    title: "a page in a real browser whose name is rebound to this machine, beside somebody who is logged in",
    run: async (order) =>
      noBrowser === false
        ? against(({ bench }) => playForeignPages(bench))(order)
        : { kind: "skipped", reason: noBrowser },
  },
  {
    ...{ threat: "T2", ...common, count: { full: 1, short: 0 } },
    title: "every write from other origins, by cookie, as a form, as text and in parts, and every read",
    run: against(playSimpleWrites, (stage) => playMatrix(stage, ["T2"]), read),
  },
  {
    ...{ threat: "T3", ...common, count: { full: 10_000, short: 0 } },
    title:
      "every route without a token, with a wrong one, with a role that does not suffice, and by guessing",
    run: against((stage) => playMatrix(stage, ["T3"]), guess),
  },
];
