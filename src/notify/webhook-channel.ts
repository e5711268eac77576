import type { ChannelSpec, SentNotice } from "../model/settings/notice.ts";
import { printable, printableLine } from "../model/text/printable.ts";
import type { World } from "../model/world.ts";
import { addressesOf, type Resolve, targetOf } from "./guarded-target.ts";
import { inOrder } from "./in-order.ts";
import type { DeliveryOutcome, PostAnswer } from "./notifier.ts";
import { postOnce } from "./post-once.ts";
import {
  type Environment,
  readKeys,
  secretInEnv,
  secretInFile,
  webhookHeaders,
} from "./webhook-signature.ts";

export type WebhookSpec = Extract<ChannelSpec, { use: "webhook" }>;

export interface WebhookOptions {
  readonly world: World;
  /** Where the secrets are that channels name. */
  readonly env: Environment;
  /** All addresses of a name; asked once for each try. */
  readonly resolve?: Resolve;
}

const ANSWER_CHARS_MAX = 200;
/** No receiver may put a person off for longer. */
const RETRY_AFTER_MS_MAX = 3_600_000;
const GONE = 410;

/**
 * Posts a notice once.
 *
 * 1. The addresses that were assessed are the addresses that are connected to: a second answer of DNS is never asked
 *    for.
 * 2. Redirects are answers like any other, not followed.
 * 3. What is reported of a failure names the host, and neither path nor query nor secret: they often are the secret.
 * 4. Terminal is what no person can put right while the channel stays as it is: an address that is refused as it is
 *    written, and a receiver that says it is gone. A wrong secret, a missing route, a refused body can be put right.
 */
export async function deliverByWebhook(
  options: WebhookOptions,
  notice: SentNotice,
  spec: WebhookSpec,
): Promise<DeliveryOutcome> {
  const place = await addressIn(spec, options.env);
  // A variable or a file can be put right while the channel stays as it is.
  if ("problem" in place) return failed(place.problem);
  const guard = { name: "webhook", allowPrivate: spec.allowPrivate, limitMs: spec.limitMs };
  const target = targetOf(place.text, guard);
  if ("problem" in target) return failed(target.problem, { terminal: spec.url !== undefined });
  const { url } = target;
  const describe = (text: string): string => `webhook ${url.host}: ${text}`;
  const deadlineMs = options.world.now() + spec.limitMs;
  const keys = await readKeys(spec, options.env);
  if ("problem" in keys) return failed(describe(keys.problem));
  const addresses = await addressesOf(options, url, guard);
  if ("problem" in addresses) return failed(describe(addresses.problem));
  const now = options.world.now();
  const body = webhookMessage(notice);
  const answer = await postOnce(options.world, {
    url,
    addresses: addresses.found,
    headers: webhookHeaders({ id: notice.id, timestamp: Math.floor(now / 1_000), body }, keys.keys),
    body,
    limitMs: Math.max(1, deadlineMs - now),
  });
  return outcomeOf(answer, (text) => describe(withoutSecrets(text, url)), now);
}

async function addressIn(
  { url, urlEnv, urlFile }: WebhookSpec,
  env: Environment,
): Promise<{ readonly text: string } | { readonly problem: string }> {
  if (url !== undefined) return { text: url };
  const place = urlEnv === undefined ? await secretInFile(urlFile ?? "") : secretInEnv(urlEnv, env);
  const text = place.text?.trim();
  if (text === undefined) return { problem: `webhook: its address in ${place.name} ${place.problem}` };
  return text === "" ? { problem: `webhook: its address in ${place.name} is empty` } : { text };
}

function outcomeOf(answer: PostAnswer, describe: (text: string) => string, now: number): DeliveryOutcome {
  if (answer.kind === "none") return failed(describe(answer.text));
  const { status } = answer;
  if (status >= 200 && status < 300)
    return { kind: "delivered", detail: describe(`answered ${String(status)}`) };
  const said = answer.beginning.trim() === "" ? "" : ` and said: ${answer.beginning}`;
  const redirect = status >= 300 && status < 400 ? ", a redirect, which is not followed" : "";
  const retryAfterMs = retryAfter(answer.retryAfter, now);
  return failed(describe(`answered ${String(status)}${redirect}${said}`), {
    terminal: status === GONE,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
}

/** Seconds or a date; anything else that it says is no wish that can be met. */
function retryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  const date = header.endsWith("GMT") ? Date.parse(header) : Number.NaN;
  const waitMs = /^\d{1,12}$/.test(header.trim()) ? Number(header) * 1_000 : date - now;
  if (!Number.isFinite(waitMs)) return undefined;
  return Math.min(Math.max(Math.round(waitMs), 0), RETRY_AFTER_MS_MAX);
}

/** A receiver may repeat what it was asked: parts of the address that may be secret are taken out of its words. */
function withoutSecrets(text: string, url: URL): string {
  const parts = [
    url.pathname + url.search,
    url.pathname,
    url.search,
    ...url.pathname.split("/"),
    ...url.searchParams.values(),
  ];
  const secret = parts.filter((part) => part.length >= SECRET_CHARS_MIN).sort((a, b) => b.length - a.length);
  const clean = secret.reduce((rest, part) => rest.replaceAll(part, "[…]"), text);
  return printableLine(clean, ANSWER_CHARS_MAX);
}

const SECRET_CHARS_MIN = 6;

const failed = (
  text: string,
  more: { readonly terminal: boolean; readonly retryAfterMs?: number } = { terminal: false },
): DeliveryOutcome => ({ kind: "failed", text: printableLine(text, 400), ...more });

/**
 * The body of a post: an envelope as the Standard Webhooks specification advises, the notice as its data, and beside
 * them the `text` that chat services show. It depends on what is sent alone: only the link may lead elsewhere in a later
 * try, where the dashboard is served elsewhere by then.
 */
export function webhookMessage(notice: SentNotice): string {
  return JSON.stringify({
    type: `holdfast.${notice.kind}`,
    timestamp: new Date(notice.at).toISOString(),
    data: inOrder(notice),
    text: chatText(notice),
  }).toWellFormed();
}

/** In chats `<!channel>` calls everybody: words from elsewhere must stay words. */
function chatText({ title, text, command, link }: SentNotice): string {
  const parts = [title, text, command ?? "", link ?? ""].filter((part) => part !== "");
  return printable(parts.join("\n")).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
