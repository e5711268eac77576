import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ControlReader } from "../../../../src/agents/tmux/live/control-lines.ts";
import { queryFilter } from "../../../../src/agents/tmux/live/strip-queries.ts";

const ESC = "\u001b";
const latin = (text: string): string => Buffer.from(text, "utf8").toString("latin1");
const shown = (...pieces: readonly string[]): string => {
  const filter = queryFilter();
  return pieces.map((piece) => filter.take(piece)).join("");
};

/** What a terminal would answer or act on. */
const ACTIVE: readonly string[] = [
  ...[
    "[c",
    "[0c",
    "[>c",
    "[=c",
    "[5n",
    "[6n",
    "[?6n",
    "[x",
    "[?1$p",
    "[4$p",
    "[>q",
    "[>0q",
    "[?u",
    "[>1u",
    "[14t",
    "[21t",
    "[8;5;5t",
  ],
  ...["[?9h", "[?1000h", "[?1002;1006h", "[?1004h", "[?1004l", "Z"],
  ...[
    "]52;c;aGVsbG8=\u0007",
    `]52;c;?${ESC}\\`,
    "]10;?\u0007",
    "]4;1;?\u0007",
    "]11;?\u0007",
    "]1337;File=x\u0007",
    "]777;notify;a;b\u0007",
    "]9;hi\u0007",
  ],
  ...["]8;;javascript:alert(1)\u0007", "]8;;file:///etc/passwd\u0007"],
  ...[`P$qm${ESC}\\`, `P+q544e${ESC}\\`, `_Gi=1;x${ESC}\\`, `^x${ESC}\\`, `Xx${ESC}\\`],
].map((rest) => ESC + rest);

const DRAWN: readonly string[] = [
  ...[
    "[31m",
    "[38;5;1m",
    "[2J",
    "[1;1H",
    "[?25l",
    "[?1049h",
    "[?2004h",
    "[K",
    "[4 q",
    "[!p",
    "[u",
    "[s",
    "7",
    "8",
    "=",
    "(B",
    "M",
  ],
  ...["]0;title\u0007", "]2;title\u0007", "]8;;https://example.com/\u0007", "]8;;\u0007"],
].map((rest) => ESC + rest);

void describe("what a viewer of a terminal is shown", () => {
  void it("O2 nothing that a terminal would answer, or act on beside drawing, reaches the viewer", () => {
    for (const active of ACTIVE) assert.equal(shown(`a${active}b`), "ab", JSON.stringify(active));
    assert.equal(shown("a\u0005b"), "ab");
    assert.equal(shown(latin("a\u009b6nb\u0090xb")), latin("a6nbxb"));
  });

  void it("O2 the same holds however the sequence is split over chunks", () => {
    for (const active of ACTIVE) assert.equal(shown(..."x", ...active, ..."y"), "xy", JSON.stringify(active));
  });

  void it("O2 what draws is shown as it came, letters of all languages included", () => {
    for (const drawn of DRAWN) {
      assert.equal(shown(`a${drawn}b`), `a${drawn}b`, JSON.stringify(drawn));
      assert.equal(shown(...drawn), drawn);
    }
    const words = latin("ünïcödé 漢字 🙂 Ââ");
    assert.equal(shown(...words), words);
  });

  void it("O2 a sequence without an end is dropped and costs no memory", () => {
    const filter = queryFilter();
    let out = filter.take(`a${ESC}]52;c;`);
    for (let count = 0; count < 1_000; count += 1) out += filter.take("A".repeat(1_000));
    assert.equal(out + filter.take("\u0007b"), "ab");
  });
});

void describe("what tmux says in control mode", () => {
  void it("O2 output, answers, sizes and the end are read, wherever the chunks are cut", () => {
    const text =
      "%begin 1 2 0\n%end 1 2 0\n%output %0 a\\033[1mb\\134\\015\\012\n%begin 1 3 1\n80,24\n%output is text here\n%end 1 3 1\n%layout-change @0 b25d,100x30,0,0,0 x\n%begin 1 4 1\nno such\n%error 1 4 1\n%exit gone\n";
    const expected = [
      { kind: "answer", lines: [], ok: true },
      { kind: "output", bytes: `a${ESC}[1mb\\\r\n` },
      { kind: "answer", lines: ["80,24", "%output is text here"], ok: true },
      { kind: "size", columns: 100, rows: 30 },
      { kind: "answer", lines: ["no such"], ok: false },
      { kind: "end", text: "gone" },
    ];
    assert.deepEqual(new ControlReader().take(text), expected);
    const reader = new ControlReader();
    assert.deepEqual(
      [...text].flatMap((char) => reader.take(char)),
      expected,
    );
  });
});
