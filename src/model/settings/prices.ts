import { z } from "zod";

const usdPerMillion = (what: string) => z.number().min(0).max(1_000_000).describe(what);

const rates = {
  input: usdPerMillion("USD per million tokens that the model reads"),
  output: usdPerMillion("USD per million tokens that it writes"),
  cachedInput: usdPerMillion("USD per million tokens read from a cache; default: as input").optional(),
};

const longSchema = z
  .strictObject({
    above: z.int().min(1).describe("a request that reads more tokens than this is a long one"),
    ...rates,
  })
  .describe("what a long request costs, all of it; default: as any other");

/** What a model costs, in US dollars per million tokens. */
export const priceSchema = z.strictObject({ ...rates, long: longSchema.optional() });
export type Price = z.infer<typeof priceSchema>;

/** Prices by a pattern for the names of models, in which `*` stands for any characters. */
export const pricesSchema = z.record(z.string().min(1).max(120), priceSchema);
export type Prices = Readonly<Record<string, Price>>;

/** Of the rows that fit a model's name the one that names most of it; undefined where none does. */
export function priceOf(prices: Prices, model: string | undefined): Price | undefined {
  if (model === undefined) return undefined;
  const names = namesOf(model);
  let best: string | undefined;
  for (const pattern of Object.keys(prices))
    if (names.some((name) => matchesModel(pattern, name)) && isCloser(pattern, best)) best = pattern;
  return best === undefined ? undefined : prices[best];
}

/** As it is reported, and without what stands around it: a provider (`anthropic/…`, `openai|…`), a mark (`…[1m]`, `…(openai)`). */
function namesOf(model: string): readonly string[] {
  const plain = withoutMark(withoutMark(model.toLowerCase(), "[]"), "()");
  return [plain, plain.slice(Math.max(plain.lastIndexOf("/"), plain.lastIndexOf("|")) + 1)];
}

function withoutMark(name: string, brackets: "[]" | "()"): string {
  const from = name.endsWith(brackets.slice(1)) ? name.lastIndexOf(brackets.slice(0, 1)) : -1;
  return from === -1 ? name : name.slice(0, from);
}

const literal = (pattern: string): number => pattern.replaceAll("*", "").length;

/** Equally long ones are distinguished by their letters, so that the order of the table says nothing. */
function isCloser(one: string, other: string | undefined): boolean {
  if (other === undefined) return true;
  const more = literal(one) - literal(other);
  return more > 0 || (more === 0 && one < other);
}

/** Goes over the name once per part, so that no pattern is slow. */
export function matchesModel(pattern: string, name: string): boolean {
  const parts = pattern.toLowerCase().split("*");
  const [first = "", ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return name === first;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}

export interface TokensUsed {
  readonly tokensIn?: number | undefined;
  readonly tokensOut?: number | undefined;
  /** The part of `tokensIn` that was read from a cache. */
  readonly cachedIn?: number | undefined;
}

const MILLION = 1_000_000;

/** What one request costs. */
export function usdOf(price: Price, used: TokensUsed): number {
  const { tokensIn = 0, tokensOut = 0 } = used;
  const { cachedIn: cached = 0 } = used;
  const { long } = price;
  const { input, output, cachedInput = input } = long !== undefined && tokensIn > long.above ? long : price;
  return ((tokensIn - cached) * input + cached * cachedInput + tokensOut * output) / MILLION;
}
