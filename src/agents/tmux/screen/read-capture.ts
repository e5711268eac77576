/** A stretch of a row that is drawn in reverse: `from` is its first column, `to` the one after its last. */
export interface Lit {
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

export type Lits = readonly Lit[];

// eslint-disable-next-line no-control-regex -- what a terminal is sent for colours begins with an escape
const STYLE = /\u001b\[([\d;:]{0,60})m|\u001b[^[]|[\u000e\u000f]/g;

/** What `capture-pane -e` gives: the rows as text, and which parts of them are drawn in reverse. */
export function readCapture(text: string): {
  readonly lines: readonly string[];
  readonly lit: readonly Lit[];
} {
  const lit: Lit[] = [];
  let reverse = false;
  const lines = text.split("\n").map((row, at) => {
    let line = "";
    let last = 0;
    let from = reverse ? 0 : -1;
    const close = (): void => {
      if (from !== -1 && line.length > from) lit.push({ at, from, to: line.length });
      from = -1;
    };
    for (const style of row.matchAll(STYLE)) {
      line += row.slice(last, style.index);
      last = style.index + style[0].length;
      const next = style[1] === undefined ? reverse : isReverse(style[1], reverse);
      if (reverse && !next) close();
      if (!reverse && next) from = line.length;
      reverse = next;
    }
    line += row.slice(last);
    close();
    return line.trimEnd();
  });
  return { lines, lit };
}

function isReverse(codes: string, before: boolean): boolean {
  let reverse = before;
  for (const code of codes.split(";"))
    if (code === "7") reverse = true;
    else if (code === "" || code === "0" || code === "27") reverse = false;
  return reverse;
}
