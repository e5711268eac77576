/** What tmux says to a client in control mode, line by line. */
export type ControlLine =
  | { readonly kind: "output"; readonly bytes: string }
  | { readonly kind: "answer"; readonly lines: readonly string[]; readonly ok: boolean }
  | { readonly kind: "size"; readonly columns: number; readonly rows: number }
  | { readonly kind: "end"; readonly text: string };

const LINE_CHARS_MAX = 1024 * 1024;
const ANSWER_LINES_MAX = 20_000;

/** Reads the lines of one client; texts are Latin-1, as the bytes came. */
export class ControlReader {
  #half = "";
  #answer: string[] | null = null;

  take(bytes: string): ControlLine[] {
    const lines = (this.#half + bytes).split("\n");
    this.#half = (lines.pop() ?? "").slice(-LINE_CHARS_MAX);
    return lines.flatMap((line) => this.#line(line.endsWith("\r") ? line.slice(0, -1) : line));
  }

  #line(line: string): ControlLine[] {
    if (this.#answer !== null) {
      const ended = /^%(end|error) /.exec(line);
      if (ended === null) {
        if (this.#answer.length < ANSWER_LINES_MAX) this.#answer.push(line);
        return [];
      }
      const lines = this.#answer;
      this.#answer = null;
      return [{ kind: "answer", lines, ok: ended[1] === "end" }];
    }
    if (line.startsWith("%begin ")) {
      this.#answer = [];
      return [];
    }
    if (line.startsWith("%output "))
      return [{ kind: "output", bytes: unescaped(line.slice(line.indexOf(" ", 8) + 1)) }];
    const layout = /^%layout-change \S+ [0-9a-f]+,(\d+)x(\d+),/.exec(line);
    if (layout !== null) return [{ kind: "size", columns: Number(layout[1]), rows: Number(layout[2]) }];
    return line.startsWith("%exit") ? [{ kind: "end", text: line.slice(6) }] : [];
  }
}

/** tmux writes control characters and backslashes as three octal digits. */
const unescaped = (text: string): string =>
  text.replaceAll(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
