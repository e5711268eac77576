import { Fault } from "../../model/fault.ts";
import type { Called } from "./called.ts";
import { REMOTE_CONTINUOUS } from "./remote-continuous.ts";
import { REMOTE_MISSION } from "./remote-mission.ts";
import type { Later, Plan, Remote, RemoteWork } from "./remote.ts";
import {
  followRemoteEvents,
  followRemoteLogs,
  runRemotely,
  waitRemotely,
  watchRemotely,
} from "./follow-remotely.ts";
import {
  createRemoteToken,
  exportRemotely,
  listRemoteTokens,
  loginRemotely,
  revokeRemoteToken,
} from "./remote-products.ts";

const AT_HAND = "-";
const ofRun = (run: string | undefined) => ({ run: run ?? AT_HAND });
const read = (route: Plan["route"], run: string | undefined, query: Plan["query"] = {}): Plan => ({
  route,
  params: ofRun(run),
  query,
});
const ask = (run: string | undefined, kind: string, body: object = {}): Plan => ({
  route: "ask",
  params: ofRun(run),
  body: { kind, ...body },
});
const store = (route: Plan["route"], body: object = {}): Plan => ({ route, body });

function json(text: string | undefined, what: string): unknown {
  if (text === undefined) return null;
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new Fault("usage", `${what} ${text} is no JSON; expected a value such as true, 42 or '"a text"'`, {
      cause,
    });
  }
}

function settingsOf(words: readonly string[]): Record<string, string> {
  const pairs = words.map((word) => {
    const at = word.indexOf("=");
    if (at < 1) throw new Fault("usage", `"${word}" is no setting; expected KEY=VALUE`);
    return [word.slice(0, at), word.slice(at + 1)] as const;
  });
  if (pairs.length === 0) throw new Fault("usage", "expected KEY=VALUE, such as budget.usd=40");
  return Object.fromEntries(pairs);
}

function must(wanted: boolean | undefined, text: string): void {
  if (wanted !== true) throw new Fault("usage", text);
}

/** What is approved is what stands there now: the server refuses another digest, and names the new one. */
function approval({ args: [run, gate], options }: Called, remote: Remote): Later {
  const { note, digest, for: escalation } = options;
  return async () => {
    const shown = digest ?? (await shownDigest(remote, run, gate));
    return ask(run, "approve", { gate, note, escalation, ...(shown === null ? {} : { digest: shown }) });
  };
}

interface Waiting {
  readonly run: string;
  readonly gate: string | null;
  readonly digest: string | null;
}

async function shownDigest(remote: Remote, run: string | undefined, gate: string | undefined) {
  const { inbox } = await remote.ask<{ readonly inbox: readonly Waiting[] }>({ route: "listInbox" });
  const found = inbox.filter(
    (entry) =>
      entry.digest !== null &&
      (run === undefined || entry.run.startsWith(run) || entry.run.endsWith(run)) &&
      (gate === undefined || entry.gate === gate),
  );
  return found.length === 1 ? (found[0]?.digest ?? null) : null;
}

const HOUR_MS = 3_600_000;

/** Every command that has a route, by its words. */
export const REMOTE_WORK: Readonly<Record<string, RemoteWork>> = {
  status: ({ args: [run] }) => read("getRun", run),
  runs: ({ options: { status, repo, since, blockedBy } }) => ({
    route: "listRuns",
    query: { status, repo, since, blockedBy },
  }),
  why: ({ args: [run], options: { at } }) => read("getWhy", run, { at }),
  report: ({ args: [run], options: { format } }) => read("getReport", run, { format }),
  changes: ({ args: [run, since], options: { stat } }) =>
    read("getChanges", run, { since, stat: String(stat ?? false) }),
  checkpoints: ({ args: [run], options: { diff } }) => {
    const [from = "", to = "", ...more] = diff ?? [];
    if (diff === undefined) return read("listCheckpoints", run);
    if (to === "" || more.length > 0)
      throw new Fault("usage", "--diff names no pair; expected two checkpoints such as --diff c2 c5");
    return { route: "diffCheckpoints", params: { ...ofRun(run), from, to } };
  },
  proposals: ({ args: [run] }) => read("listProposals", run),
  "proposal show": ({ args: [proposal = ""] }) => ({ route: "getProposal", params: { proposal } }),
  verify: ({ args: [run] }) => (run === undefined ? { route: "verifyStore" } : read("verifyRun", run)),
  replay: ({ args: [run], options: { at } }) => read("replayRun", run, { at }),
  diff: ({ args: [a, b] }) => ({ route: "diffRuns", query: { a, b } }),
  inbox: () => ({ route: "listInbox" }),
  alarms: ({ args: [run] }) => ({ route: "listAlarms", query: { run } }),
  agents: () => ({ route: "listAgents" }),
  doctor: () => ({ route: "getDoctor" }),
  "config show": ({ options: { origin } }) => ({
    route: "getConfig",
    query: { origin: String(origin ?? false) },
  }),
  gc: ({ options: { dryRun, olderThan } }) => {
    must(dryRun, "a server lists what `gc` would remove, and removes nothing; expected --dry-run");
    const hours = olderThan === undefined ? undefined : `${String(Number(olderThan) / HOUR_MS)}h`;
    return { route: "listGarbage", query: { olderThan: hours } };
  },
  ...REMOTE_CONTINUOUS,
  ...REMOTE_MISSION,
  hosts: () => ({ route: "listFleet" }),
  drain: ({ args: [host], options: { undo, wait } }) => {
    must(
      !wait,
      "a server does not wait for a host to be empty; expected it without --wait, and `hosts` to look",
    );
    return store("drainHost", { host, undo });
  },
  unpause: ({ args: [resource] }) => store("unpause", { resource }),
  stop: ({ options: { all } }, remote) => {
    must(all, `\`stop\` concerns all runs of the store; expected ${remote.command("stop", "--all")}`);
    return store("stopStore");
  },
  start: () => store("startStore"),
  up: ({ options: { detach } }) => {
    must(detach, "a server starts a supervisor in the background of its machine; expected --detach");
    return store("startSupervisor");
  },
  down: ({ options: { stopAgents } }) => store("endSupervisor", { stopAgents }),
  fork: ({ args: [run], options: { at, as } }) => ({
    route: "forkRun",
    params: ofRun(run),
    body: { at: Number(at), as },
  }),
  salvage: ({ args: [run] }) => ({ route: "salvageRun", params: ofRun(run), body: {} }),
  pause: ({ args: [run] }) => ask(run, "pause"),
  resume: ({ args: [run], options: { agent, step } }) => ask(run, "resume", { agent, step }),
  cancel: ({ args: [run] }) => ask(run, "cancel"),
  reopen: ({ args: [run] }) => ask(run, "reopen"),
  retry: ({ args: [run], options: { step } }) => ask(run, "retry", { step }),
  approve: approval,
  reject: ({ args: [run, gate], options: { note, for: escalation } }) =>
    ask(run, "reject", { gate, note, escalation }),
  unblock: ({ args: [escalation], options: { note } }) => ask(AT_HAND, "unblock", { escalation, note }),
  escalate: ({ args: [run], options: { step, note } }) => ask(run, "escalate", { step, note }),
  tell: ({ args: [run, text], options: { step, now } }) => ask(run, "tell", { text, step, now }),
  alarm: ({ args: [run, words], options: { in: after, at, note = words, step, cancel } }) =>
    cancel === undefined
      ? ask(run, "alarm", { in: after, at, note, step })
      : ask(AT_HAND, "cancel_alarm", { alarm: run }),
  signal: ({ args: [run, name, value] }) => ask(run, "signal", { name, value: json(value, "the value") }),
  settle: ({ args: [run, key], options: { done, again } }) =>
    ask(run, "settle", { key, again, ...(done === undefined ? {} : { done: json(done, "--done") }) }),
  set: ({ args: [run = ""], rest, options: { note, all } }) =>
    all === undefined
      ? ask(run, "set", { settings: settingsOf(rest), note })
      : store("setForAll", { settings: settingsOf([run, ...rest]) }),
  checkpoint: ({ args: [run], options: { note } }) => ask(run, "checkpoint", { note }),
  restore: ({ args: [run, checkpoint], options: { repository } }) =>
    ask(run, "restore", { checkpoint, repository }),
  handoff: ({ args: [run], options: { to, step, reason } }) => ask(run, "handoff", { to, step, reason }),
  reissue: ({ args: [run], options: { step, reason } }) => ask(run, "reissue", { step, reason }),
  reconcile: ({ args: [run], options: { acceptHead } }) => {
    must(acceptHead, "expected --accept-head");
    return ask(run, "reconcile");
  },
  accept: ({ args: [run], options: { message, step, asDone, resolution, dropped } }) =>
    ask(run, "accept", { message, step, asDone, resolution, dropped }),
  commit: ({ args: [run], options: { message, file } }) => ask(run, "commit", { message, files: file }),
  "proposal apply": ({ args: [proposal] }) => ask(AT_HAND, "apply_proposal", { proposal }),
  "proposal reject": ({ args: [proposal], options: { note, drop } }) =>
    ask(AT_HAND, "reject_proposal", { proposal, note, drop }),
  run: runRemotely,
  wait: waitRemotely,
  watch: watchRemotely,
  events: followRemoteEvents,
  logs: followRemoteLogs,
  export: exportRemotely,
  dashboard: loginRemotely,
  "token create": createRemoteToken,
  "token list": listRemoteTokens,
  "token revoke": revokeRemoteToken,
};
