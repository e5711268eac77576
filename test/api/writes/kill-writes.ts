import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { API_PREFIX, ROUTE_PATHS } from "../../../src/api/routes/route-paths.ts";
import type { AnyRoute } from "../../../src/api/routes/define-route.ts";
import { tokenStore } from "../../../src/api/guard/token-store.ts";
import { ApiBench } from "../api-bench.ts";
import { allEvents, prepareStore, withStore } from "./written-store.ts";
import { WRITE_CASES, type Seen, type WriteCase } from "./write-cases.ts";

/** `begun`: nothing is done; `done`: and no answer is kept; `kept`: and it was not sent; a number: after so many ms. */
export type KillAt = "begun" | "done" | "kept" | number;

export interface Killed {
  readonly route: AnyRoute;
  readonly at: KillAt;
}

export interface KillReport {
  kills: number;
  /** How many second tries were answered from what was kept. */
  replayed: number;
  readonly wrong: string[];
}

interface Reply {
  readonly status: number;
  readonly text: string;
  readonly isReplay: boolean;
}

/** A server on a prepared store that is killed in one write after the other; each is asked again of the next server. */
export async function killWrites(plan: readonly Killed[]): Promise<KillReport> {
  const bench = new ApiBench();
  const report: KillReport = { kills: 0, replayed: 0, wrong: [] };
  try {
    const store = await prepareStore(bench.cli.home, bench.cli.cwd);
    await armed(bench, plan[0]);
    for (const [nth, one] of plan.entries()) {
      const key = `key-${String(nth)}`;
      const problems = await killOne({ bench, store, one, key, next: plan[nth + 1], report });
      report.wrong.push(...problems.map((problem) => `${one.route.name} at ${String(one.at)}: ${problem}`));
    }
    return report;
  } finally {
    await bench.close();
  }
}

/** A server that ends itself where it was told to; so each start serves the end of one write and the begin of the next. */
async function armed(bench: ApiBench, one: Killed | undefined): Promise<void> {
  const isPoint = one !== undefined && typeof one.at === "string";
  await bench.serve([], isPoint ? { HOLDFAST_CRASH_AT: `api.${one.route.name}.${String(one.at)}#1` } : {});
}

interface Kill {
  readonly bench: ApiBench;
  readonly store: string;
  readonly one: Killed;
  readonly key: string;
  readonly next: Killed | undefined;
  readonly report: KillReport;
}

async function killOne({ bench, store, one: { route, at }, key, next, report }: Kill): Promise<string[]> {
  const found = WRITE_CASES[route.name];
  assert.ok(found !== undefined, `there is a case for ${route.name}`);
  await found.before?.(bench, store);
  const first = ask(bench, { route, found, key }).catch(() => null);
  if (typeof at === "number") {
    await delay(at);
    bench.process.child.kill("SIGKILL");
  }
  const answered = await first;
  // It may have been too quick for a kill at random; at a point it never is.
  if (answered !== null && typeof at === "string") report.wrong.push(`${route.name} passed no ${at}`);
  if (answered !== null) bench.process.child.kill("SIGKILL");
  await bench.process.ended;
  report.kills += 1;
  await bench.end();
  const then = await seen(bench, store);
  const times = found.done?.(then, key) ?? 0;
  const isDone = times > 0;
  if (isDone) await found.between?.(bench, store);
  await armed(bench, next);
  const second = await ask(bench, { route, found, key });
  const third = await ask(bench, { route, found, key });
  const other = await ask(bench, { route, found, key, body: found.other(key) });
  const now = await seen(bench, store);
  report.replayed += Number(second.isReplay);
  const problems: string[] = [];
  const expect = (holds: boolean, problem: string): void => void (holds || problems.push(problem));
  expect(answered === null || answered.text === second.text, `answered otherwise: ${second.text}`);
  expect(second.status < 500, `${String(second.status)} ${second.text}`);
  expect(found.done === null || second.status === 200, `${String(second.status)} ${second.text}`);
  expect(third.text === second.text && third.isReplay, `answered otherwise: ${second.text} / ${third.text}`);
  expect(other.status === 409 || other.status === 400, `another body: ${String(other.status)} ${other.text}`);
  if (found.done !== null) expect(found.done(now, key) === 1, `done ${String(found.done(now, key))} times`);
  if (at === "begun") expect(!isDone, "it was done before it began");
  if (at === "kept") expect(second.isReplay, "the answer was kept");
  if (route.name === "stopStore" || route.name === "startStore")
    await withStore(store, (system) => system.store.start({ by: "test" }));
  const after = isDone ? (found.after?.(now) ?? null) : null;
  expect(after === null, after ?? "");
  return problems;
}

interface Asked {
  readonly route: AnyRoute;
  readonly found: WriteCase;
  readonly key: string;
  readonly body?: unknown;
}

async function ask(bench: ApiBench, { route, found, key, body = found.body(key) }: Asked): Promise<Reply> {
  const [, path] = ROUTE_PATHS[route.name];
  const target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => found.params?.[name] ?? "");
  const response = await fetch(`${bench.ready.url}${API_PREFIX}${target}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${bench.token}`,
      "content-type": "application/json",
      "idempotency-key": key,
    },
    body: JSON.stringify(body),
  });
  const isReplay = response.headers.get("idempotent-replayed") === "true";
  return { status: response.status, text: await response.text(), isReplay };
}

async function seen(bench: ApiBench, store: string): Promise<Seen> {
  const tokens = tokenStore(bench.cli.home, "x", () => Date.now()).list();
  return { events: await allEvents(store), tokens };
}
