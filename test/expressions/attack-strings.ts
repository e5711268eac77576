/**
 * Texts that make a backtracking expression slow, made from the expression itself: its beginning again and again, and
 * each of its repeated parts again and again behind what leads up to it, with an end that fits nowhere.
 */
type Node =
  | { readonly kind: "chars"; readonly some: readonly string[] }
  | { readonly kind: "either"; readonly ways: readonly (readonly Node[])[] }
  | { readonly kind: "repeat"; readonly of: Node; readonly min: number; readonly max: number }
  | { readonly kind: "nothing" };

const CLASSES: Readonly<Record<string, readonly string[]>> = {
  s: [" ", "\t", "\n", "\r"],
  S: ["x"],
  d: ["0"],
  D: ["x"],
  w: ["a", "0"],
  W: [" ", "-"],
  n: ["\n"],
  r: ["\r"],
  t: ["\t"],
  b: [],
  B: [],
};
const END = "\n\u0001\u2603";
const REPRESENTATIVES_MAX = 6;

class Parser {
  readonly #source: readonly string[];
  #at = 0;

  constructor(source: string) {
    this.#source = [...source];
  }

  either(): Node {
    const ways: Node[][] = [[]];
    for (let char = this.#peek(); char !== undefined && char !== ")"; char = this.#peek()) {
      if (char === "|") {
        this.#at += 1;
        ways.push([]);
      } else ways.at(-1)?.push(this.#repeated(this.#atom()));
    }
    return { kind: "either", ways };
  }

  #peek(ahead = 0): string | undefined {
    return this.#source[this.#at + ahead];
  }

  #next(): string {
    this.#at += 1;
    return this.#source[this.#at - 1] ?? "";
  }

  #atom(): Node {
    const char = this.#next();
    if (char === "(") return this.#group();
    if (char === "[") return this.#class();
    if (char === "\\") return chars(this.#escape());
    if (char === ".") return chars(["x", " "]);
    return char === "^" || char === "$" ? { kind: "nothing" } : chars([char]);
  }

  #group(): Node {
    if (this.#peek() === "?") {
      this.#at += this.#peek(1) === "<" && "=!".includes(this.#peek(2) ?? "") ? 3 : 2;
      if (this.#source[this.#at - 1] === "<") while (this.#next() !== ">");
    }
    const inner = this.either();
    this.#at += 1;
    return inner;
  }

  #class(): Node {
    const isNegated = this.#peek() === "^";
    if (isNegated) this.#at += 1;
    const some: string[] = [];
    for (let char = this.#next(); char !== "]" && char !== ""; char = this.#next())
      if (char === "\\") some.push(...this.#escape());
      else some.push(char);
    return chars(isNegated ? ["x", " ", "0", "a"].filter((one) => !some.includes(one)) : some);
  }

  #escape(): readonly string[] {
    const char = this.#next();
    if (char === "u" || char === "x") {
      const isLong = this.#peek() === "{";
      let digits = "";
      if (isLong) for (this.#next(); this.#peek() !== "}"; digits += this.#next());
      else while (digits.length < (char === "u" ? 4 : 2)) digits += this.#next();
      if (isLong) this.#at += 1;
      return [String.fromCodePoint(Number.parseInt(digits, 16))];
    }
    if ((char === "p" || char === "P") && this.#peek() === "{") {
      while (this.#next() !== "}");
      return ["\u{1f600}", "a"];
    }
    if (char === "0") return ["\0"];
    return CLASSES[char] ?? [char];
  }

  #repeated(of: Node): Node {
    const char = this.#peek();
    let bounds: [number, number] | undefined;
    if (char === "*") bounds = [0, Infinity];
    else if (char === "+") bounds = [1, Infinity];
    else if (char === "?") bounds = [0, 1];
    else if (char === "{") {
      const text = this.#source.slice(this.#at).join("");
      const [all, min, comma, max] = /^\{(\d+)(,?)(\d*)\}/.exec(text) ?? [];
      if (all !== undefined) {
        bounds = [Number(min), comma === "" ? Number(min) : max === "" ? Infinity : Number(max)];
        this.#at += all.length - 1;
      }
    }
    if (bounds === undefined) return of;
    this.#at += 1;
    if (this.#peek() === "?") this.#at += 1;
    return { kind: "repeat", of, min: bounds[0], max: bounds[1] };
  }
}

const chars = (some: readonly string[]): Node =>
  some.length === 0 ? { kind: "nothing" } : { kind: "chars", some };

/** One text that fits, as short as may be. */
function sample(node: Node): string {
  switch (node.kind) {
    case "nothing":
      return "";
    case "chars":
      return node.some[0] ?? "";
    case "either":
      return node.ways[0]?.map(sample).join("") ?? "";
    case "repeat":
      return sample(node.of).repeat(Math.max(1, node.min));
  }
}

interface Piece {
  /** What leads up to it. */
  readonly before: string;
  readonly again: string;
}

/** Fewer repetitions than this are a constant. */
const FAR = 50;

const goesFar = (node: Node): boolean =>
  (node.kind === "repeat" && (node.max >= FAR || goesFar(node.of))) ||
  (node.kind === "either" && node.ways.some((way) => way.some(goesFar)));

function* pieces(node: Node, before: string): Generator<Piece> {
  if (node.kind === "either")
    for (const way of node.ways) {
      let lead = before;
      for (const part of way) {
        yield* pieces(part, lead);
        lead += sample(part);
        // The beginning again and again: from each of them what is repeated is tried to the end.
        if (lead !== before && goesFar(part)) yield { before: "", again: lead };
      }
    }
  if (node.kind !== "repeat") return;
  yield* pieces(node.of, before);
  if (node.max < FAR) return;
  const { of } = node;
  const agains = of.kind === "chars" ? of.some.slice(0, REPRESENTATIVES_MAX) : [sample(of)];
  for (const again of agains) if (again !== "") yield { before, again };
}

export function attackStrings(source: string, chars: number): string[] {
  const made = new Set<string>();
  for (const { before, again } of pieces(new Parser(source).either(), "")) {
    const many = again.repeat(Math.ceil(chars / again.length));
    made.add(`${before}${many}${END}`);
    made.add(`${END}${before}${many}`);
  }
  for (const space of [" ", "\n", "\r", "a", "0"]) made.add(`${space.repeat(chars)}${END}`);
  return [...made];
}
