import { ROUTES } from "../../../src/api/routes/route-table.ts";
import type { AnyRoute } from "../../../src/api/routes/define-route.ts";
import type { RouteName } from "../../../src/api/routes/route-paths.ts";
import type { System } from "../../../src/main.ts";
import type { Recorded } from "../../../src/model/events/events.ts";
import type { ApiBench } from "../api-bench.ts";
import { MISSION, MISSION_FILE, PAUSED_GROUND, SESSION, withStore, pauseResource } from "./written-store.ts";

/** What can be seen of a store and its tokens, from beside the server. */
export interface Seen {
  readonly events: readonly Recorded[];
  readonly tokens: readonly { readonly id: string; readonly name: string }[];
}

export interface WriteCase {
  readonly params?: Readonly<Record<string, string>>;
  /** `key` is part of what is asked, so that its effect can be found. */
  readonly body: (key: string) => unknown;
  /** Another body, for the same key. */
  readonly other: (key: string) => unknown;
  /** How often it was done; null for what changes nothing that is kept. */
  readonly done: ((seen: Seen, key: string) => number) | null;
  /** Before it is asked. */
  readonly before?: (bench: ApiBench, store: string) => Promise<void>;
  /** What somebody else does between the death of a server and the second try. */
  readonly between?: (bench: ApiBench, store: string) => Promise<void>;
  /** Checked after all tries. */
  readonly after?: (seen: Seen) => string | null;
}

const ofRequest =
  (type: Recorded["type"]) =>
  ({ events }: Seen, key: string): number =>
    events.filter((event) => event.type === type && JSON.stringify(event.data).includes(`"${key}"`)).length;

const alarms = ({ events }: Seen, key: string): number =>
  events.filter(({ type, data }) => type === "AlarmSet" && JSON.stringify(data).includes(key)).length;

/** Resumed, and paused at once, so that nothing of it starts. */
async function goOn({ continuous }: System): Promise<void> {
  await continuous.ask(SESSION, { kind: "resume" }, { by: "x" });
  await continuous.ask(SESSION, { kind: "pause" }, { by: "x" });
}

async function missionGoesOn({ missions }: System): Promise<void> {
  await missions.ask(MISSION, { kind: "resume" }, { by: "x" });
  await missions.ask(MISSION, { kind: "pause" }, { by: "x" });
}

const trace = [{ t_ms: 0, kind: "user", result: "go" }];
const revoked = "to-be-revoked";
let revokedId = "";

export const WRITE_CASES: Partial<Record<RouteName, WriteCase>> = {
  createRun: {
    body: () => ({ goal: "say hello", agent: "demo", inPlace: true }),
    other: () => ({ goal: "say something else", agent: "demo", inPlace: true }),
    done: ofRequest("RunCreated"),
  },
  ask: {
    params: { run: "rest" },
    body: (key) => ({ kind: "alarm", in: "3h", note: key }),
    other: (key) => ({ kind: "alarm", in: "4h", note: key }),
    done: alarms,
  },
  askMany: {
    body: (key) => ({ runs: ["rest-a", "rest-b"], request: { kind: "alarm", in: "3h", note: key } }),
    other: (key) => ({ runs: ["rest-a"], request: { kind: "alarm", in: "3h", note: key } }),
    done: (seen, key) => alarms(seen, key) / 2,
  },
  forkRun: {
    params: { run: "program" },
    body: (key) => ({ at: 2, as: `fork-${key}` }),
    other: (key) => ({ at: 1, as: `fork-${key}` }),
    done: ({ events }, key) =>
      events.filter(({ run, type }) => run === `fork-${key}` && type === "BodyLogged").length,
  },
  salvageRun: {
    params: { run: "damaged" },
    body: () => ({}),
    other: () => ({ more: 1 }),
    done: ({ events }) => events.filter(({ type }) => type === "RunSalvaged").length,
  },
  assess: { body: () => ({ events: trace }), other: () => ({ events: [...trace, ...trace] }), done: null },
  importRun: { body: () => ({ lines: "x" }), other: () => ({ lines: "y" }), done: null },
  unpause: {
    body: () => ({ resource: PAUSED_GROUND }),
    other: () => ({ resource: "host:other" }),
    done: ofRequest("GroundReopened"),
    // The second try must not lift a pause that began after the first.
    before: (_, store) => withStore(store, pauseResource),
    between: (_, store) => withStore(store, pauseResource),
  },
  // The store of these is a file, which has no hosts: refused both times.
  drainHost: { body: () => ({ host: "one" }), other: () => ({ host: "two" }), done: null },
  beginContinuous: {
    body: (key) => ({ source: "command:true", name: `s-${key}`, agent: "demo" }),
    other: (key) => ({ source: "command:false", name: `s-${key}`, agent: "demo" }),
    done: ofRequest("ContinuousBegun"),
  },
  askContinuous: {
    params: { session: SESSION },
    body: () => ({ kind: "stop" }),
    other: () => ({ kind: "resume" }),
    done: ofRequest("ContinuousStopped"),
    // The second try must not stop what was resumed since.
    before: (_, store) => withStore(store, goOn),
    between: (_, store) => withStore(store, goOn),
    after: ({ events }) => {
      const last = events.findLast(
        ({ run, type }) => run === `continuous:${SESSION}` && /Resumed|Stopped/.test(type),
      );
      return last?.type === "ContinuousResumed" ? null : "a session that was resumed since was stopped";
    },
  },
  beginMission: {
    body: (key) => ({ file: MISSION_FILE, name: `m-${key}` }),
    other: (key) => ({ file: MISSION_FILE, name: `n-${key}` }),
    done: ofRequest("MissionBegun"),
  },
  askMission: {
    params: { mission: MISSION },
    body: () => ({ kind: "stop" }),
    other: () => ({ kind: "resume" }),
    done: ofRequest("MissionStopped"),
    // The second try must not stop what was resumed since.
    before: (_, store) => withStore(store, missionGoesOn),
    between: (_, store) => withStore(store, missionGoesOn),
    after: ({ events }) => {
      const last = events.findLast(
        ({ run, type }) => run === `mission:${MISSION}` && /Resumed|Stopped/.test(type),
      );
      return last?.type === "MissionResumed" ? null : "a mission that was resumed since was stopped";
    },
  },
  setForAll: {
    body: () => ({ settings: { "budget.day.usd": 41 } }),
    other: () => ({ settings: { "budget.day.usd": 42 } }),
    done: ofRequest("DayBudgetSet"),
    // The second try must not set it back.
    between: (_, store) =>
      withStore(store, async (system) => void (await system.store.setDay({ by: "x" }, () => ({ usd: 7 })))),
    before: (_, store) =>
      withStore(store, async (system) => void (await system.store.setDay({ by: "x" }, () => ({ usd: 3 })))),
    after: ({ events }) => {
      const last = events.findLast(({ type }) => type === "DayBudgetSet");
      return last?.type === "DayBudgetSet" && last.data.by === "x" ? null : "what was set since was set back";
    },
  },
  stopStore: {
    body: () => ({}),
    other: () => ({ more: 1 }),
    done: ofRequest("StoreStopped"),
    between: (_, store) => withStore(store, async ({ store: all }) => void (await all.start({ by: "x" }))),
  },
  startStore: {
    body: () => ({}),
    other: () => ({ more: 1 }),
    done: ofRequest("StoreStarted"),
    before: (_, store) => withStore(store, async ({ store: all }) => void (await all.stop({ by: "x" }))),
    between: (_, store) => withStore(store, async ({ store: all }) => void (await all.stop({ by: "y" }))),
    after: ({ events }) =>
      events.findLast(({ type }) => type === "StoreStopped" || type === "StoreStarted")?.type ===
      "StoreStopped"
        ? null
        : "the brake that somebody pulled since was let go",
  },
  startSupervisor: { body: () => ({}), other: () => ({ more: 1 }), done: null },
  endSupervisor: { body: () => ({}), other: () => ({ stopAgents: true }), done: null },
  createToken: {
    body: (key) => ({ name: `t-${key}`, role: "viewer", expiresIn: "1d" }),
    other: (key) => ({ name: `t-${key}`, role: "admin" }),
    done: ({ tokens }, key) => tokens.filter(({ name }) => name === `t-${key}`).length,
  },
  revokeToken: {
    params: { token: revoked },
    body: () => ({}),
    other: () => ({ more: 1 }),
    before: async (bench) => {
      await bench.cli.call(["token", "revoke", revoked]);
      ({ id: revokedId } = await bench.cli.json<{ id: string }>(["token", "create", revoked]));
    },
    done: ({ tokens }) => Number(!tokens.some(({ id }) => id === revokedId)),
    // Another one of the same name must outlive the second try.
    between: async (bench) => void (await bench.cli.call(["token", "create", revoked])),
    after: ({ tokens }) =>
      tokens.some(({ name }) => name === revoked) ? null : "a token that was made since was revoked",
  },
};

/** Those that are worth nothing without the process that answered are left out: they end with it. */
export const keptRoutes: readonly AnyRoute[] = (ROUTES as readonly AnyRoute[]).filter(
  ({ isWrite, kept }) => isWrite && kept === "disk",
);
