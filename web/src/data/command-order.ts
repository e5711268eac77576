import type { RequestBody } from "../../../src/api/routes/request-body.ts";
import type { InputOf } from "../../../src/api/client/client.ts";
import { readCommand, type ReadCommand } from "./command-words.ts";
import { missionAsked } from "./mission-asked.ts";
import type { Order } from "./order.ts";

type Asked = { readonly run: string; readonly body: RequestBody };
type Reader = (command: ReadCommand) => Asked | null;

/** Words that a command leaves to the person: what they say takes their place. */
export const PLACEHOLDERS = ["YOUR ANSWER", "WHAT TO CHANGE"] as const;

const simple =
  (kind: "pause" | "resume" | "cancel" | "reopen" | "reconcile"): Reader =>
  ({ operands: [run], flags }) =>
    run === undefined || (kind === "reconcile" && !flags.has("accept-head")) ? null : { run, body: { kind } };

const READERS: Readonly<Record<string, Reader>> = {
  pause: simple("pause"),
  resume: simple("resume"),
  cancel: simple("cancel"),
  reopen: simple("reopen"),
  reconcile: simple("reconcile"),
  retry: ({ operands: [run], options: { step } }) =>
    run === undefined ? null : { run, body: { kind: "retry", ...given({ step }) } },
  approve: ({ operands: [run, gate], options: { digest, for: escalation, note } }) =>
    run === undefined
      ? null
      : { run, body: { kind: "approve", ...given({ gate, digest, escalation, note }) } },
  reject: ({ operands: [run, gate], options: { for: escalation, note } }) =>
    run === undefined || note === undefined
      ? null
      : { run, body: { kind: "reject", note, ...given({ gate, escalation }) } },
  unblock: ({ operands: [escalation], options: { note } }) => {
    const run = escalation === undefined ? null : runOfEscalation(escalation);
    return escalation === undefined || run === null
      ? null
      : { run, body: { kind: "unblock", escalation, ...given({ note }) } };
  },
  tell: ({ operands: [run, text], options: { step } }) =>
    run === undefined || text === undefined
      ? null
      : { run, body: { kind: "tell", text, ...given({ step }) } },
  set: ({ operands: [run, ...pairs], options: { note } }) => {
    const settings = pairs.map((pair) => [
      pair.slice(0, pair.indexOf("=")),
      pair.slice(pair.indexOf("=") + 1),
    ]);
    return run === undefined || pairs.length === 0 || pairs.some((pair) => !pair.includes("="))
      ? null
      : {
          run,
          body: {
            kind: "set",
            settings: Object.fromEntries(settings) as Record<string, string>,
            ...given({ note }),
          },
        };
  },
  signal: ({ operands: [run, name, value] }) =>
    run === undefined || name === undefined
      ? null
      : { run, body: { kind: "signal", name, ...(value === undefined ? {} : jsonGiven("value", value)) } },
  settle: ({ operands: [run, key], options: { done }, flags }) =>
    run === undefined || key === undefined
      ? null
      : {
          run,
          body: flags.has("again")
            ? { kind: "settle", key, again: true }
            : { kind: "settle", key, ...jsonGiven("done", done ?? "null") },
        },
  checkpoint: ({ operands: [run], options: { note } }) =>
    run === undefined ? null : { run, body: { kind: "checkpoint", ...given({ note }) } },
  restore: ({ operands: [run, checkpoint], flags }) =>
    run === undefined
      ? null
      : {
          run,
          body: {
            kind: "restore",
            ...given({ checkpoint }),
            ...(flags.has("repository") ? { repository: true } : {}),
          },
        },
  reissue: ({ operands: [run], options: { reason, step } }) =>
    run === undefined || reason === undefined
      ? null
      : { run, body: { kind: "reissue", reason: reason as never, ...given({ step }) } },
  accept: ({ operands: [run], options: { step, message, resolution, dropped }, flags }) =>
    run === undefined
      ? null
      : {
          run,
          body: {
            kind: "accept",
            ...given({ step, message }),
            ...(flags.has("as-done") ? { asDone: true } : {}),
            ...(resolution === "merge" ? { resolution } : {}),
            ...(dropped === "bring" || dropped === "leave" ? { dropped } : {}),
          },
        },
  commit: ({ operands: [run], options: { message }, flags }) =>
    // What trusts a filter must be seen on the machine itself.
    run === undefined || flags.has("with-filters")
      ? null
      : { run, body: { kind: "commit", ...given({ message }) } },
  handoff: ({ operands: [run], options: { to, step, reason } }) =>
    run === undefined || to === undefined
      ? null
      : { run, body: { kind: "handoff", to, ...given({ step, reason }) } },
};

/**
 * What a button sends that stands for a command; null where the command can only be pasted, because the machine's
 * owner must see what it is about. `run` is the run that it was offered for.
 */
export function commandOrder(command: string, run: string | null): Order | null {
  const read = readCommand(command);
  if (read === null) return null;
  const title = `${read.name} ${read.operands[0] ?? ""}`.trim();
  const asked = READERS[read.name]?.(read) ?? proposalAsked(read, run);
  if (asked !== null)
    return { route: "ask", input: { params: { run: asked.run }, body: asked.body }, command, title };
  const [first] = read.operands;
  const about = { command, title };
  if (read.name === "salvage" && first !== undefined)
    return { ...about, route: "salvageRun", input: { params: { run: first }, body: {} } };
  if (read.name === "fork" && first !== undefined)
    return {
      ...about,
      route: "forkRun",
      input: {
        params: { run: first },
        body: { at: Number(read.options["at"]), ...given({ as: read.options["as"] }) },
      },
    };
  if (read.name === "unpause")
    return { ...about, route: "unpause", input: { body: given({ resource: first }) } };
  const session = sessionAsked(read);
  if (session !== null) return { ...about, route: "askContinuous", input: session };
  const mission = missionAsked(read);
  if (mission !== null) return { ...about, route: "askMission", input: mission };
  if (read.name === "up") return { ...about, route: "startSupervisor", input: { body: {} } };
  if (read.name === "start") return { ...about, route: "startStore", input: { body: {} } };
  return null;
}

/** `-` is the only session that is not over. */
function sessionAsked({ name, operands: [first], options }: ReadCommand): InputOf<"askContinuous"> | null {
  switch (name) {
    case "continuous pause":
      return { params: { session: first ?? "-" }, body: { kind: "pause" } };
    case "continuous resume":
      return { params: { session: first ?? "-" }, body: { kind: "resume" } };
    case "continuous stop":
      return { params: { session: first ?? "-" }, body: { kind: "stop" } };
    case "continuous skip":
      return first === undefined
        ? null
        : { params: { session: options["session"] ?? "-" }, body: { kind: "skip", goal: first } };
    default:
      return null;
  }
}

/** The command names a proposal, and the request the run that it belongs to. */
function proposalAsked(
  { name, operands: [proposal], options: { note }, flags }: ReadCommand,
  run: string | null,
) {
  if (run === null || proposal === undefined) return null;
  const body: RequestBody | null =
    name === "proposal apply"
      ? { kind: "apply_proposal", proposal }
      : name === "proposal reject" && note !== undefined
        ? { kind: "reject_proposal", proposal, note, ...(flags.has("drop") ? { drop: true } : {}) }
        : null;
  return body === null ? null : { run, body };
}

/** `fix-login.e3` is the third question of the run `fix-login`. */
const runOfEscalation = (id: string): string | null => /^(.+)\.e\d+$/.exec(id)?.[1] ?? null;

type Given = Readonly<Record<string, string | undefined>>;
const given = <G extends Given>(values: G): { [Key in keyof G]?: string } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [Key in keyof G]?: string;
  };

function jsonGiven<Key extends string>(key: Key, text: string): { [_ in Key]: unknown } {
  try {
    return { [key]: JSON.parse(text) as unknown } as { [_ in Key]: unknown };
  } catch {
    return { [key]: text } as { [_ in Key]: unknown };
  }
}
