/** Made-up secrets in the shapes of their vendors, and texts that look like them and are none. None opens anything. */
import { createHash } from "node:crypto";

export interface SecretSample {
  readonly name: string;
  readonly value: string;
  /** What stands around it where it is not known by itself. */
  readonly around?: (secret: string) => string;
}

const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIGITS = "0123456789";
const UPPER = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const HEX = "0123456789abcdef";

function random(seed: number): (alphabet: string, count: number) => string {
  let state = seed;
  return (alphabet, count) =>
    Array.from({ length: count }, () => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      return alphabet[Math.floor((state / 2_147_483_648) * alphabet.length)] ?? "a";
    }).join("");
}

export function seededSecrets(seed: number): readonly SecretSample[] {
  const pick = random(seed);
  const word = (count: number): string => pick(LETTERS + DIGITS, count);
  const hex = (count: number): string => pick(HEX, count);
  const of = (name: string, ...values: readonly string[]): readonly SecretSample[] =>
    values.map((value) => ({ name, value }));
  return [
    ...of("anthropic-key", `sk-ant-api03-${word(80)}`, `sk-ant-oat01-${word(90)}`),
    ...of(
      "openai-key",
      `sk-proj-${word(60)}`,
      `sk-${word(20)}T3BlbkFJ${word(20)}`,
      `sk-${hex(32)}`,
      `sk-svcacct-${word(40)}`,
    ),
    ...of("openrouter-key", `sk-or-v1-${hex(64)}`),
    ...of("google-key", `AIza${word(35)}`, `GOCSPX-${word(28)}`, `ya29.${word(60)}`),
    ...of("aws-key-id", `AKIA${pick(UPPER, 16)}`, `ASIA${pick(UPPER, 16)}`),
    { name: "aws-secret", value: word(40), around: (secret) => `aws_secret_access_key = ${secret}` },
    {
      name: "azure-key",
      value: `${word(86)}==`,
      around: (secret) => `AccountName=a;AccountKey=${secret};X=y`,
    },
    ...of(
      "github-token",
      `ghp_${word(36)}`,
      `gho_${word(36)}`,
      `ghs_${word(36)}`,
      `github_pat_${word(22)}_${word(59)}`,
    ),
    ...of("gitlab-token", `glpat-${word(20)}`, `glrt-${word(20)}`),
    ...of("slack-token", `xoxb-${pick(DIGITS, 12)}-${word(24)}`, `xapp-1-${word(40)}`),
    {
      name: "slack-webhook",
      value: `T${word(8)}/B${word(8)}/${word(24)}`,
      around: (secret) => `https://hooks.slack.com/services/${secret}`,
    },
    {
      name: "discord-webhook",
      value: word(68),
      around: (secret) => `https://discord.com/api/webhooks/${pick(DIGITS, 18)}/${secret}`,
    },
    ...of("discord-token", `M${word(23)}.${word(6)}.${word(30)}`),
    ...of("telegram-token", `123456789:AA${word(33)}`),
    ...of("stripe-key", `sk_live_${word(24)}`, `rk_test_${word(24)}`, `whsec_${word(32)}`),
    ...of("npm-token", `npm_${word(36)}`),
    ...of("pypi-token", `pypi-AgEIcHlwaS5vcmc${word(80)}`),
    ...of("rubygems-key", `rubygems_${hex(48)}`),
    ...of("crates-token", `cio${word(32)}`),
    ...of("docker-token", `dckr_pat_${word(27)}`),
    ...of("huggingface-token", `hf_${word(34)}`),
    ...of("groq-key", `gsk_${word(52)}`),
    ...of("xai-key", `xai-${word(80)}`),
    ...of("replicate-token", `r8_${word(37)}`),
    ...of("perplexity-key", `pplx-${word(48)}`),
    ...of("sendgrid-key", `SG.${word(22)}.${word(43)}`),
    ...of("mailgun-key", `key-${hex(32)}`),
    ...of("twilio-key", `SK${hex(32)}`),
    ...of("digitalocean-token", `dop_v1_${hex(64)}`),
    ...of("databricks-token", `dapi${hex(32)}`),
    ...of("linear-key", `lin_api_${word(40)}`),
    ...of("notion-token", `ntn_${word(46)}`, `secret_${word(43)}`),
    ...of("shopify-token", `shpat_${hex(32)}`),
    ...of("heroku-key", `HRKU-${word(60)}`),
    ...of("fly-token", `fm2_${word(120)}`),
    ...of("vercel-token", `vercel_blob_rw_${word(16)}_${word(32)}`),
    ...of("supabase-key", `sbp_${hex(40)}`, `sb_secret_${word(30)}`),
    ...of("planetscale-token", `pscale_tkn_${word(43)}`),
    ...of("doppler-token", `dp.pt.${word(43)}`),
    ...of("vault-token", `hvs.${word(90)}`),
    ...of("terraform-token", `${word(14)}.atlasv1.${word(67)}`),
    ...of("grafana-token", `glsa_${word(32)}_${hex(8)}`),
    ...of("newrelic-key", `NRAK-${pick(UPPER, 27)}`),
    ...of("sentry-token", `sntryu_${hex(64)}`),
    ...of("postman-key", `PMAK-${hex(24)}-${hex(34)}`),
    ...of("figma-token", `figd_${word(40)}`),
    ...of("airtable-token", `pat${word(14)}.${hex(64)}`),
    ...of("atlassian-token", `ATATT3xFfGF0${word(80)}`),
    ...of("age-key", `AGE-SECRET-KEY-1${pick(UPPER, 58)}`),
    ...of("json-web-token", `eyJ${word(30)}.eyJ${word(60)}.${word(43)}`),
    { name: "authorization", value: word(40), around: (secret) => `Authorization: Bearer ${secret}` },
    {
      name: "password-in-url",
      value: `pw-${word(12)}`,
      around: (secret) => `postgres://app:${secret}@db.internal:5432/x`,
    },
    {
      name: "private-key",
      value: `${word(64)}\n${word(64)}\n${word(40)}`,
      around: (secret) => `-----BEGIN RSA PRIVATE KEY-----\n${secret}\n-----END RSA PRIVATE KEY-----`,
    },
  ];
}

const digests = (algorithm: string, code: "hex" | "base64" | "base64url"): string[] =>
  Array.from({ length: 12 }, (_, nth) =>
    createHash(algorithm)
      .update(`${algorithm}${code}${String(nth)}`)
      .digest(code),
  );

const uuidLike = (nth: number): string =>
  createHash("md5")
    .update(String(nth))
    .digest("hex")
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");

/** Hashes, ids, pictures, code and words. */
export const LOOK_ALIKES: readonly string[] = [
  ...["md5", "sha1", "sha256", "sha512"].flatMap((algorithm) => [
    ...digests(algorithm, "hex"),
    ...digests(algorithm, "base64"),
    ...digests(algorithm, "base64url"),
  ]),
  ...Array.from({ length: 20 }, (_, nth) => uuidLike(nth)),
  ...Array.from(
    { length: 10 },
    (_, nth) => `"integrity": "sha512-${digests("sha512", "base64")[nth] ?? ""}"`,
  ),
  ...Array.from(
    { length: 10 },
    (_, nth) => `data:image/png;base64,iVBORw0KGgo${(digests("sha512", "base64")[nth] ?? "").repeat(4)}`,
  ),
  "sk-button-primary-large-outline-with-icon-and-label",
  "class='sk-circle-fade-dot sk-wave-rect sk-fold-cube'",
  "key-value-store-with-a-long-name-of-several-words",
  "const npm_config_user_agent = process.env.npm_config_user_agent;",
  "hf_hub_download(repo_id, filename, cache_dir, revision, token)",
  "secret_manager_service_client_create_secret_version_request",
  "the pattern is a pat on the back; patterns.filter(Boolean)",
  "https://example.org/path?token=&key=value",
  "https://user@example.org/repository.git",
  "ssh://git@example.org:22/team/repository.git",
  "http://127.0.0.1:8080/health@1.2.3",
  "mailto:somebody@example.org",
  "Authorization: Bearer <token>",
  "Authorization: Bearer ${TOKEN}",
  "authorization: none",
  "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA\n-----END PUBLIC KEY-----",
  "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUF\n-----END CERTIFICATE-----",
  "eyJhbGciOiJub25lIn0",
  "AKIA is how ids of access keys begin",
  "ASIAN_LANGUAGES_SUPPORTED",
  "ghp_short",
  "github_pattern_matching_engine",
  "glpat-is-a-prefix",
  "xoxb-short",
  "SG.short.parts",
  "dapir_is_a_word",
  "SKU0123456789",
  "cio = concurrent_input_output_library_name",
  "the r8_ compiler of Android: r8_full_mode",
  "pplx-7b-online and pplx-70b-chat are models",
  "do_v1_migration and dop_v2_migration",
  "lin_api_version_two",
  "fm2_encoding_of_old_disks",
  "hvs.storage.backend",
  "dp.pt.position.of.the.point",
  "sb_secret_",
  "figd_",
  "AGE-SECRET-KEY-1 is a prefix",
  "commit 3f786850e387550fdab836ed7e6dc881de23001b (HEAD -> main)",
  "index 83baae6..6b584e8 100644",
  "01ARZ3NDEKTSV4RRFFQ69G5FAV",
  "session 0199-ab_c.d",
  "M0123456789.abcdef",
  "npm_package_dependencies_typescript_eslint",
  "AIza is followed by 35 characters",
  "const token = await readToken(file);",
  "password: ********",
  "PASSWORD=",
  "arn:aws:iam::123456789012:role/service-role/example",
  "aws_secret_access_key = <your key>",
  "AccountKey=<key>",
  "whsec_ is the prefix of signing secrets",
  "https://hooks.slack.com/services/",
  "12345678:00:00",
  "10:15:30:AA:BB:CC",
  "rubygems_mirror",
  "vercel_blob_rw_token_name",
];
