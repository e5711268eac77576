import { DashboardStage, RUN_TABS, STORE_SCREENS, script, settled } from "../../web/dashboard-stage.ts";
import { noBrowser } from "../../web/browser.ts";
import { tried, type Attack, type Outcome, type Stage } from "../attack.ts";
import { sample } from "../sample.ts";

/** What makes a page run code where text is put into it as markup, as an address, or as part of a script. */
const RUNS = [
  ...[
    "<script>RUN</script>",
    "<img src=x onerror=RUN>",
    "<svg onload=RUN>",
    "<body onload=RUN>",
    "<iframe srcdoc='<script>parent.RUN</script>'>",
  ],
  ...[
    "<iframe src='javascript:parent.RUN'>",
    "<a href='javascript:RUN'>x</a>",
    "<math><a xlink:href='javascript:RUN'>x",
    "<details open ontoggle=RUN>x",
    "<input autofocus onfocus=RUN>",
  ],
  ...[
    "<video><source onerror=RUN>",
    "<style>@import 'http://evil.test/x.css'</style>",
    "<link rel=stylesheet href=http://evil.test/x.css>",
    "<meta http-equiv=refresh content='0;url=javascript:RUN'>",
    "<base href=http://evil.test/>",
  ],
  ...[
    "<object data='javascript:RUN'>",
    "<embed src='javascript:RUN'>",
    "<form action='javascript:RUN'><input type=submit autofocus>",
    "<img src=http://evil.test/x.png>",
    "[x](javascript:RUN)",
    "![x](http://evil.test/x.png)",
    "<template><script>RUN</script></template>",
    "{{constructor.constructor('RUN')()}}",
    "${RUN}",
    "javascript:RUN",
  ],
];
/** What ends that in which the text stands. */
const ENDS = ["", '">', "'>", "</script>", "</title></textarea></style>", "-->", "]]>", "\u2028\n"];

const PAYLOADS = RUNS.flatMap((run) => ENDS.map((end) => end + run.replace("RUN", "window.ran=1")));

async function show({ count, seed }: Stage): Promise<Outcome> {
  if (noBrowser !== false) return { kind: "skipped", reason: noBrowser };
  const payloads = sample(PAYLOADS, count, seed);
  const [first = "", second = "", third = ""] = payloads;
  const acts = payloads.map((text, nth) =>
    nth % 3 === 0 ? { do: "tool", name: text.slice(0, 40), args: text, result: text } : { do: "say", text },
  );
  const file = `a${first.replaceAll("/", "_")}.txt`;
  const hostile = script(
    [
      ...acts,
      { do: "write", file, content: `${payloads.join("\n")}\n` },
      { do: "error", text: second },
      { do: "exit", code: 1 },
    ],
    [...acts.slice(0, 5), { do: "blocked", reason: "needs_human", text: third }],
  );
  const stage = new DashboardStage({ hostile });
  const succeeded: string[] = [];
  try {
    await stage.open([{ id: "hostile", goal: first, words: ["--agent", "hostile"] }]);
    await stage.api.cli.reaches("hostile", "blocked");
    const tabs = RUN_TABS.map((tab) => `/runs/hostile/${tab}`);
    const screens = count < PAYLOADS.length ? ["/inbox", ...tabs.slice(0, 1)] : [...STORE_SCREENS, ...tabs];
    const addressed = [`/runs?q=${encodeURIComponent(first)}`, `/runs/${encodeURIComponent(second)}/now`];
    const page = await stage.page("/");
    for (const address of [...screens, ...addressed]) {
      await stage.goTo(page, address);
      await settled(page);
      if ((await page.evaluate("window.ran")) !== undefined) succeeded.push(`${address} ran a payload`);
      if (!page.url().startsWith(stage.url)) succeeded.push(`${address} led to ${page.url()}`);
    }
    const { violations, dialogs, requests } = stage.browser.seen;
    succeeded.push(...violations, ...dialogs);
    succeeded.push(...requests.filter((url) => /evil\.test/.test(url)));
    return tried(payloads.length * (screens.length + addressed.length), succeeded);
  } finally {
    await stage.close();
  }
}

export const attacks: readonly Attack[] = [
  {
    ...{ threat: "T6", level: "any", promised: "prevented", count: { full: PAYLOADS.length, short: 20 } },
    title: "markup and scripts as goal, words, tools, errors, files and questions are shown by the dashboard",
    run: show,
  },
];
