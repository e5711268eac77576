import { durationMs } from "../model/duration.ts";
import { Fault } from "../model/fault.ts";
import type { Budget } from "../model/flow.ts";
import type { RunRequest } from "../model/requests.ts";
import { nearest } from "./nearest.ts";

/** What `set` may change of a run. */
interface Settings {
  budget: Budget;
}

type Put = (settings: Settings, key: string, text: string) => void;

const amount =
  (kind: keyof Budget, isWhole: boolean): Put =>
  (settings, key, text) => {
    const value = Number(text);
    if (text.trim() === "" || !Number.isFinite(value) || value <= 0 || (isWhole && !Number.isInteger(value)))
      throw new Fault("usage", `${key}=${text}: expected a ${isWhole ? "whole number" : "number"} above 0`);
    settings.budget[kind] = value;
  };

/** Every key of `set`, and what becomes of its value. */
const KEYS: Readonly<Record<string, Put>> = {
  "budget.usd": amount("usd", false),
  "budget.tokens": amount("tokens", true),
  "budget.iterations": amount("iterations", true),
  "budget.time": (settings, key, text) => {
    const timeMs = durationMs(text);
    if (timeMs < 1) throw new Fault("usage", `${key}=${text}: expected a time above 0, such as 2h`);
    settings.budget.timeMs = timeMs;
  },
};
export const SETTING_KEYS = Object.keys(KEYS);

/** The requests that words such as `budget.usd=40` make. */
export function settingRequests(words: readonly string[]): RunRequest[] {
  const settings: Settings = { budget: {} };
  for (const word of words) {
    const at = word.indexOf("=");
    const key = at === -1 ? word : word.slice(0, at);
    const put = Object.hasOwn(KEYS, key) ? KEYS[key] : undefined;
    if (put === undefined) throw unknownKey(key);
    if (at === -1) throw new Fault("usage", `"${word}" has no value; expected ${key}=VALUE`);
    put(settings, key, word.slice(at + 1));
  }
  return Object.keys(settings.budget).length === 0 ? [] : [{ kind: "budget", budget: settings.budget }];
}

function unknownKey(key: string): Fault {
  const [near] = nearest(key, SETTING_KEYS, 1);
  const hint = near === undefined ? "" : ` did you mean ${near}?`;
  return new Fault("usage", `"${key}" cannot be set;${hint} what can be set: ${SETTING_KEYS.join(", ")}`, {
    details: { key, known: SETTING_KEYS },
  });
}
