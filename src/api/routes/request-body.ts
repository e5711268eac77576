import { z } from "zod";
import { REISSUE_REASONS } from "../../model/state/drift.ts";
import { requestProofSchema } from "../../model/requests/principal.ts";
import { flag, operands, option, runWord } from "./perform-command.ts";

const words = z.string().min(1).max(16_384);
const note = words.optional();
const step = z.string().min(1).max(200).optional();
const id = z.string().min(1).max(200);
/** As it was shown: what has changed since is not approved. */
const digest = z.string().regex(/^[0-9a-f]{8,64}$/);
const kind = <Name extends string>(name: Name) => z.literal(name);

/** What can be asked of a run; one variant for each command, with the words that call it. */
export const requestBodySchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: kind("pause") }),
  z.strictObject({ kind: kind("resume"), agent: id.optional(), step }),
  z.strictObject({ kind: kind("cancel") }),
  z.strictObject({ kind: kind("reopen") }),
  z.strictObject({ kind: kind("retry"), step }),
  z.strictObject({
    kind: kind("approve"),
    gate: id.optional(),
    digest: digest
      .optional()
      .describe("What is approved, as it was shown. Required where the question has one."),
    escalation: id
      .optional()
      .describe("The question that is answered; refused where it is not open any more."),
    note,
    proof: requestProofSchema
      .optional()
      .describe("A signature over this request, for gates that ask for one."),
  }),
  z.strictObject({ kind: kind("reject"), gate: id.optional(), escalation: id.optional(), note: words }),
  z.strictObject({ kind: kind("unblock"), escalation: id, note }),
  z.strictObject({ kind: kind("escalate"), step, note: words }),
  z.strictObject({ kind: kind("tell"), text: words, step, now: z.boolean().optional() }),
  z.strictObject({
    kind: kind("alarm"),
    in: z.string().max(40).optional().describe("How long from now, such as 20m."),
    at: z.string().max(40).optional().describe("When, such as 2026-03-01T07:30."),
    note: words,
    step,
  }),
  z.strictObject({ kind: kind("cancel_alarm"), alarm: id }),
  z.strictObject({ kind: kind("signal"), name: id, value: z.unknown().optional() }),
  z.strictObject({
    kind: kind("settle"),
    key: z.string().min(1).max(400),
    done: z.unknown().optional().describe("It was done, and this is its result."),
    again: z.boolean().optional().describe("It was not done, or may be done twice."),
  }),
  z.strictObject({
    kind: kind("set"),
    settings: z.record(z.string().max(300), z.union([z.string().max(300), z.number(), z.boolean()])),
    note,
  }),
  z.strictObject({ kind: kind("checkpoint"), note }),
  z.strictObject({ kind: kind("restore"), checkpoint: id.optional(), repository: z.boolean().optional() }),
  z.strictObject({ kind: kind("handoff"), to: id, step, reason: words.optional() }),
  z.strictObject({ kind: kind("reissue"), reason: z.enum(REISSUE_REASONS), step }),
  z.strictObject({ kind: kind("reconcile") }),
  z.strictObject({
    kind: kind("accept"),
    step,
    message: words.optional(),
    asDone: z.boolean().optional(),
    resolution: z.literal("merge").optional(),
    dropped: z.enum(["bring", "leave"]).optional(),
  }),
  z.strictObject({
    kind: kind("commit"),
    message: words.optional(),
    files: z.array(words).max(1_000).optional(),
  }),
  z.strictObject({ kind: kind("apply_proposal"), proposal: id }),
  z.strictObject({ kind: kind("reject_proposal"), proposal: id, note: words, drop: z.boolean().optional() }),
]);

export type RequestBody = z.infer<typeof requestBodySchema>;
export type RequestBodyKind = RequestBody["kind"];

type Words = {
  readonly [Kind in RequestBodyKind]: (run: string, body: Extract<RequestBody, { kind: Kind }>) => string[];
};

const json = (value: unknown): string => JSON.stringify(value ?? null);

/** The command line that asks the same. Exhaustive by type: a new kind does not compile without its words. */
const WORDS: Words = {
  pause: (run) => ["pause", ...operands(runWord(run))],
  resume: (run, { agent, step: only }) => [
    ...["resume", ...option("agent", agent), ...option("step", only), ...operands(runWord(run))],
  ],
  cancel: (run) => ["cancel", ...operands(runWord(run))],
  reopen: (run) => ["reopen", ...operands(runWord(run))],
  retry: (run, { step: only }) => ["retry", ...option("step", only), ...operands(runWord(run))],
  approve: (run, { gate, digest: shown, escalation, note: said }) => [
    ...["approve", ...option("digest", shown), ...option("for", escalation), ...option("note", said)],
    ...operands(runWord(run), gate),
  ],
  reject: (run, { gate, escalation, note: said }) => [
    ...["reject", ...option("for", escalation), ...option("note", said)],
    ...operands(runWord(run), gate),
  ],
  unblock: (_, { escalation, note: said }) => ["unblock", ...option("note", said), ...operands(escalation)],
  escalate: (run, { step: about, note: said }) => [
    ...["escalate", ...option("step", about), ...option("note", said)],
    ...operands(runWord(run)),
  ],
  tell: (run, { text, step: to, now }) => [
    ...["tell", ...option("step", to), ...flag("now", now)],
    ...operands(runWord(run), text),
  ],
  alarm: (run, { in: after, at, note: said, step: of }) => [
    ...["alarm", ...option("in", after), ...option("at", at), ...option("note", said), ...option("step", of)],
    ...operands(runWord(run)),
  ],
  cancel_alarm: (_, { alarm }) => ["alarm", "--cancel", ...operands(alarm)],
  signal: (run, { name, value }) => ["signal", ...operands(runWord(run), name, json(value))],
  settle: (run, { key, done, again }) => [
    ...["settle", ...option("done", done === undefined ? undefined : json(done)), ...flag("again", again)],
    ...operands(runWord(run), key),
  ],
  set: (run, { settings, note: said }) => [
    ...["set", ...option("note", said)],
    ...operands(runWord(run), ...Object.entries(settings).map(([key, value]) => `${key}=${String(value)}`)),
  ],
  checkpoint: (run, { note: said }) => ["checkpoint", ...option("note", said), ...operands(runWord(run))],
  restore: (run, { checkpoint, repository }) => [
    ...["restore", ...flag("repository", repository)],
    ...operands(runWord(run), checkpoint),
  ],
  handoff: (run, { to, step: of, reason }) => [
    ...["handoff", ...option("to", to), ...option("step", of), ...option("reason", reason)],
    ...operands(runWord(run)),
  ],
  reissue: (run, { reason, step: only }) => [
    ...["reissue", ...option("reason", reason), ...option("step", only)],
    ...operands(runWord(run)),
  ],
  reconcile: (run) => ["reconcile", "--accept-head", ...operands(runWord(run))],
  accept: (run, { step: upTo, message, asDone, resolution, dropped }) => [
    ...["accept", ...option("step", upTo), ...option("message", message), ...flag("as-done", asDone)],
    ...[...option("resolution", resolution), ...option("dropped", dropped), ...operands(runWord(run))],
  ],
  commit: (run, { message, files = [] }) => [
    ...["commit", ...option("message", message), ...files.flatMap((file) => option("file", file))],
    ...operands(runWord(run)),
  ],
  apply_proposal: (_, { proposal }) => ["proposal", "apply", ...operands(proposal)],
  reject_proposal: (_, { proposal, note: said, drop }) => [
    ...["proposal", "reject", ...option("note", said), ...flag("drop", drop)],
    ...operands(proposal),
  ],
};

export const requestWords = (run: string, body: RequestBody): string[] =>
  (WORDS[body.kind] as (run: string, body: RequestBody) => string[])(run, body);
