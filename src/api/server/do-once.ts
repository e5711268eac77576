import { createHash, createHmac } from "node:crypto";
import { asFault, Fault, FAULT_CODES, type FaultCode } from "../../model/fault.ts";
import type { HandlerAnswer } from "../routes/define-route.ts";
import { justOnce, type Once } from "../routes/once.ts";
import type { KeptAnswer, KeptWrite, KeptWrites } from "./kept-writes.ts";

/**
 * Does a write once for each key, and answers it again as it was answered.
 *
 * States of a key: unknown, under way in this process, begun by a process that has ended, answered.
 * 1. That it was begun is on disk before its handler runs, and its answer before that is sent.
 * 2. The same key with anything else is refused, no matter who asks.
 * 3. What was begun and has no answer is handed to the handler again, which learns so.
 * 4. Faults that say "later" are no answer: asked again, it is tried again.
 */
export interface DoOnce {
  perform(order: WriteOrder, act: (once: Once) => Promise<HandlerAnswer>): Promise<HandlerAnswer>;
}

export interface WriteOrder {
  /** Null: every request is one of its own. */
  readonly key: string | null;
  /** For crash points. */
  readonly route: string;
  /** What is asked and who asks: all that makes it the same request. */
  readonly asked: unknown;
  /** `memory`: worthless once this process has ended, and therefore forgotten with it. */
  readonly kept: "disk" | "memory";
  /** Called before the answer, or the fault, where it was given before. */
  readonly onReplay: () => void;
}

interface Parts {
  readonly writes: KeptWrites;
  /** Known to the owner of this machine alone; secrets of answers are made of it. */
  readonly ownSecret: () => string;
  readonly now: () => number;
  readonly crashPoint: (name: string) => void;
}

interface UnderWay {
  readonly digest: string;
  readonly answer: Promise<HandlerAnswer>;
}

const REMEMBERED_MAX = 1_000;
const ANSWER_CHARS_MAX = 256 * 1024;

const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex");

export function doOnce(parts: Parts): DoOnce {
  const underWay = new Map<string, UnderWay>();
  const remembered = new Map<string, UnderWay>();
  return {
    async perform(order, act) {
      const { key, kept, onReplay } = order;
      if (key === null) return act(justOnce);
      const digest = digestOf(JSON.stringify([order.route, order.asked]));
      const before = underWay.get(key) ?? remembered.get(key);
      if (before !== undefined) {
        checkSame(key, before.digest, digest);
        onReplay();
        return before.answer;
      }
      const found = parts.writes.find(key);
      if (found !== null) checkSame(key, found.digest, digest);
      if (found !== null && found.answer !== null) {
        onReplay();
        return answerAgain(parts, found, found.answer);
      }
      const answer =
        kept === "disk" ? performKept(parts, order, { key, digest, found, act }) : act({ ...justOnce, key });
      underWay.set(key, { digest, answer });
      try {
        const answered = await answer;
        if (kept === "memory") remember(remembered, key, { digest, answer });
        return answered;
      } finally {
        underWay.delete(key);
      }
    },
  };
}

function remember(remembered: Map<string, UnderWay>, key: string, write: UnderWay): void {
  remembered.set(key, write);
  if (remembered.size > REMEMBERED_MAX)
    for (const oldest of [...remembered.keys()].slice(0, 1)) remembered.delete(oldest);
}

function checkSame(key: string, before: string, now: string): void {
  if (before === now) return;
  throw new Fault(
    "refused",
    `the Idempotency-Key ${key} was used for another request; expected a key of its own for each request, and the same request where it is asked again`,
  );
}

interface Begun {
  readonly key: string;
  readonly digest: string;
  readonly found: KeptWrite | null;
  readonly act: (once: Once) => Promise<HandlerAnswer>;
}

async function performKept(
  parts: Parts,
  { route }: WriteOrder,
  { key, digest, found, act }: Begun,
): Promise<HandlerAnswer> {
  const { writes, now, crashPoint } = parts;
  let write: KeptWrite = found ?? {
    ...{ version: 1, key, digest, begunAt: now(), plans: {}, secrets: {}, answer: null },
  };
  const keep = (more: Partial<KeptWrite>): void => {
    write = { ...write, ...more };
    writes.keep(write);
  };
  const secrets = new Map<string, string>();
  if (found === null) keep({});
  crashPoint(`api.${route}.begun`);
  const answer = await act(
    onceOf({
      key,
      prefix: "",
      isRepeated: found !== null,
      plans: {
        get: () => write.plans,
        add: (name, value) => keep({ plans: { ...write.plans, [name]: value } }),
      },
      secret(name) {
        const made = secretOf(parts, write, name);
        secrets.set(name, made);
        return made;
      },
    }),
  ).catch((error: unknown) => {
    const { code, message, details, retry } = asFault(error);
    crashPoint(`api.${route}.done`);
    if (retry === "never" && !OPEN_FAULTS.has(code))
      keep({ answer: { kind: "fault", code, message, details } });
    crashPoint(`api.${route}.kept`);
    throw error;
  });
  crashPoint(`api.${route}.done`);
  if (answer.kind !== "taken") keepAnswer(keep, answer, secrets);
  crashPoint(`api.${route}.kept`);
  return answer;
}

/** What may be otherwise when it is asked again. */
const OPEN_FAULTS: ReadonlySet<FaultCode> = new Set([
  ...(["store_unavailable", "store_full", "store_readonly", "store_failed", "store_busy"] as const),
  ...(["supervisor_failed", "closed", "broken_promise"] as const),
]);

function keepAnswer(
  keep: (more: Partial<KeptWrite>) => void,
  answer: Exclude<HandlerAnswer, { kind: "taken" }>,
  secrets: ReadonlyMap<string, string>,
): void {
  let text = JSON.stringify(answer);
  // It changes nothing, or can be made again: an answer this long is that of something that is only shown.
  if (text.length > ANSWER_CHARS_MAX) return;
  for (const [name, secret] of secrets) text = text.replaceAll(secret, markOf(name));
  const digests = Object.fromEntries([...secrets].map(([name, secret]) => [name, digestOf(secret)]));
  keep({ answer: JSON.parse(text) as KeptAnswer, secrets: digests });
}

const markOf = (name: string): string => `<secret ${name}>`;

/** The same answer; a secret is made again, and not shown where it would be another one. */
function answerAgain(parts: Parts, write: KeptWrite, kept: KeptAnswer): HandlerAnswer {
  if (kept.kind === "fault") {
    const code = Object.hasOwn(FAULT_CODES, kept.code) ? (kept.code as FaultCode) : "refused";
    throw new Fault(code, kept.message, { details: kept.details });
  }
  let text = JSON.stringify(kept);
  for (const [name, digest] of Object.entries(write.secrets)) {
    const secret = secretOf(parts, write, name);
    if (digestOf(secret) !== digest)
      throw new Fault(
        "refused",
        `it was done at ${new Date(write.begunAt).toISOString()}, and what was shown then cannot be shown again: the owner's token is another one since; make another with a key of its own, and revoke this one`,
      );
    text = text.replaceAll(markOf(name), secret);
  }
  return JSON.parse(text) as HandlerAnswer;
}

const secretOf = ({ ownSecret }: Parts, { key, digest }: KeptWrite, name: string): string =>
  createHmac("sha256", ownSecret())
    .update(JSON.stringify(["holdfast secret 1", key, digest, name]))
    .digest("base64url");

interface OnceParts {
  readonly key: string;
  readonly prefix: string;
  readonly isRepeated: boolean;
  readonly plans: {
    get(): Readonly<Record<string, unknown>>;
    add(name: string, value: unknown): void;
  };
  readonly secret: (name: string) => string;
}

function onceOf(parts: OnceParts): Once {
  const { key, prefix, isRepeated, plans, secret } = parts;
  return {
    key,
    isRepeated,
    async plan<T>(name: string, make: () => T | Promise<T>): Promise<T> {
      const known = plans.get();
      if (Object.hasOwn(known, prefix + name)) return known[prefix + name] as T;
      const made = await make();
      plans.add(prefix + name, made);
      return made;
    },
    secret: (name) => secret(prefix + name),
    part: (name) => onceOf({ ...parts, key: `${key}.${name}`, prefix: `${prefix}${name}.` }),
  };
}
