/** Texts that have broken terminals, multiplexers and shells, and as many more as are asked for, from a seed. */
export function nastyTexts(count: number, canary: string, seed = 1): string[] {
  const chance = random(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(chance() * items.length)] as Item;
  const parts = [...PARTS, ...commandsFor(canary)];
  const made = Array.from({ length: Math.max(0, count - parts.length) }, (_, index) =>
    index % 97 === 96
      ? `${String(index)} ${pick(parts).repeat(3_000)}`.slice(0, 100_000) + pick(PARTS)
      : Array.from({ length: 1 + Math.floor(chance() * 6) }, () => pick(parts)).join(
          pick(["", " ", "\n", "\t"]),
        ),
  );
  return [...parts, ...made].slice(0, count);
}

const PARTS = [
  "plain words",
  "👩‍👩‍👧‍👦👩‍👩‍👧‍👦👩‍👩‍👧‍👦 is it overwritten (y/n) or not",
  "ends in a semicolon;",
  ";",
  "\\;",
  "two\nlines",
  "three\n\nlines\n",
  "tab\there",
  `quotes ' " \` and 'more"`,
  "#(touch CANARY)",
  "#{pane_title} #S #{E:#{q:x}}",
  "%H:%M %% %s %n",
  "$HOME ${HOME} $(id) `id`",
  "~ * ? [a-z] {a,b} !! !1",
  "-t =x: --help -",
  "Enter",
  "C-c",
  "héllo wörld — naïve",
  "日本語のテキスト 中文 한국어",
  "emoji 👩‍👩‍👧‍👦 🇩🇪 👍🏽 🏴‍☠️",
  "e\u0301 combining \u200d joiner",
  "\u202eright to left\u202c مرحبا שלום",
  "x".repeat(5_000),
  "word ".repeat(20_000),
  "\u001b[201~escaped paste",
  "\u001b]0;title\u0007",
  "\u001bc\u001b[2J",
  "\u0003\u0004\u001a",
  "\u0000nul",
  "\u009b31m",
  "\rcarriage\rreturns",
  "windows\r\nlines",
  "\ud800lone surrogate",
  "  leading and trailing  ",
];

const commandsFor = (canary: string): string[] => [
  `#(touch ${canary})`,
  `x;run-shell 'touch ${canary}'`,
  `x ; run-shell "touch ${canary}" ;`,
  `\nrun-shell 'touch ${canary}'\n`,
  `'; touch ${canary}; '`,
  `$(touch ${canary})`,
  `\`touch ${canary}\``,
  `%if 1\nrun-shell 'touch ${canary}'\n%endif`,
  `"; touch ${canary}; "`,
  `|touch ${canary}`,
];

/** Mulberry32: small, and the same everywhere. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
