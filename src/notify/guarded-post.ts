import type { World } from "../model/world.ts";
import { addressesOf, targetOf, type Resolve } from "./guarded-target.ts";
import type { PostJson } from "./notifier.ts";
import { postOnce } from "./post-once.ts";

/** Posts JSON to the address of a hook under the same rules as webhooks; only addresses that passed are connected to. */
export const guardedPost =
  (options: { readonly world: World; readonly resolve?: Resolve }): PostJson =>
  async ({ url: text, allowPrivate, limitMs, ...post }) => {
    const guard = { name: "hook", allowPrivate, limitMs };
    const deadlineMs = options.world.now() + limitMs;
    const target = targetOf(text, guard);
    if ("problem" in target) return { kind: "none", text: target.problem };
    const addresses = await addressesOf(options, target.url, guard);
    if ("problem" in addresses)
      return { kind: "none", text: `hook ${target.url.host}: ${addresses.problem}` };
    const leftMs = Math.max(1, deadlineMs - options.world.now());
    return postOnce(options.world, {
      ...post,
      url: target.url,
      addresses: addresses.found,
      headers: {},
      limitMs: leftMs,
    });
  };
