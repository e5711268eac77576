/**
 * How one vendor's secrets look. Each is recognised by a beginning of its own and by its length, so that hashes, ids,
 * code and pictures are left alone.
 */
export interface SecretPattern {
  readonly name: string;
  /** A text without any of these has no such secret, which is quickly seen. */
  readonly needs: readonly string[];
  /** What its first group has found stays. */
  readonly looks: RegExp;
}

const looks = (
  name: string,
  needs: readonly string[],
  ...shapes: readonly RegExp[]
): readonly SecretPattern[] => shapes.map((shape) => ({ name, needs, looks: shape }));

/** Lengths are bounded: a flood of one letter costs no more than its length. */
export const SECRET_PATTERNS: readonly SecretPattern[] = [
  ...looks(
    "private-key",
    ["PRIVATE KEY-----"],
    /-----BEGIN (?:[A-Z]{2,10} ){0,3}PRIVATE KEY-----[A-Za-z0-9+/=\s\\]{40,20000}?-----END/g,
  ),
  ...looks("anthropic-key", ["sk-ant-"], /\bsk-ant-[A-Za-z0-9_-]{20,200}/g),
  ...looks(
    "openai-key",
    ["sk-"],
    /\bsk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,200}/g,
    /\bsk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}\b/g,
    /\bsk-[A-Za-z0-9]{32,64}\b/g,
  ),
  ...looks("openrouter-key", ["sk-or-v1-"], /\bsk-or-v1-[0-9a-f]{64}\b/g),
  ...looks(
    "google-key",
    ["AIza", "GOCSPX-", "ya29."],
    /\bAIza[0-9A-Za-z_-]{35}(?![\w-])/g,
    /\bGOCSPX-[\w-]{28}(?![\w-])/g,
    /\bya29\.[\w-]{20,300}/g,
  ),
  ...looks("aws-key-id", ["AKIA", "ASIA", "ABIA", "ACCA"], /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b/g),
  ...looks(
    "aws-secret",
    ["secret_access_key", "SECRET_ACCESS_KEY"],
    /((?:secret_access_key|SECRET_ACCESS_KEY)["']?\s{0,3}[:=]\s{0,3}["']?)[A-Za-z0-9/+]{40}\b/g,
  ),
  ...looks(
    "azure-key",
    ["AccountKey=", "SharedAccessKey="],
    /((?:AccountKey|SharedAccessKey)=)[A-Za-z0-9+/]{42,86}={0,2}/g,
  ),
  ...looks(
    "github-token",
    ["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"],
    /\bgh[pousr]_[A-Za-z0-9]{36,251}\b/g,
    /\bgithub_pat_[A-Za-z0-9_]{22,251}\b/g,
  ),
  ...looks("gitlab-token", ["gl"], /\bgl(?:pat|dt|rt|soat|cbt|ptt|ft|imt|agent)-[\w-]{20,200}/g),
  ...looks(
    "slack-token",
    ["xox", "xapp-"],
    /\bxox[abeoprs]-[A-Za-z0-9-]{10,250}/g,
    /\bxapp-\d-[A-Za-z0-9-]{10,250}/g,
  ),
  ...looks(
    "slack-webhook",
    ["hooks.slack.com/"],
    /(hooks\.slack\.com\/(?:services|workflows)\/)[A-Za-z0-9/]{20,100}/g,
  ),
  ...looks("discord-webhook", ["/api/webhooks/"], /(\/api\/webhooks\/\d{10,25}\/)[\w-]{40,100}/g),
  ...looks("discord-token", ["."], /\b[MN][A-Za-z\d]{23,25}\.[\w-]{6}\.[\w-]{27,40}(?![\w-])/g),
  ...looks("telegram-token", [":AA"], /\b\d{8,10}:AA[\w-]{33}(?![\w-])/g),
  ...looks(
    "stripe-key",
    ["k_live_", "k_test_", "whsec_"],
    /\b[sr]k_(?:live|test)_[0-9a-zA-Z]{16,247}\b/g,
    /\bwhsec_[A-Za-z0-9+/=]{24,100}/g,
  ),
  ...looks("npm-token", ["npm_"], /\bnpm_[A-Za-z0-9]{36}\b/g),
  ...looks("pypi-token", ["pypi-"], /\bpypi-AgEIcHlwaS5vcmc[\w-]{50,1000}/g),
  ...looks("rubygems-key", ["rubygems_"], /\brubygems_[0-9a-f]{48}\b/g),
  ...looks("crates-token", ["cio"], /\bcio[A-Za-z0-9]{32}\b/g),
  ...looks("docker-token", ["dckr_pat_"], /\bdckr_pat_[\w-]{27}(?![\w-])/g),
  ...looks("huggingface-token", ["hf_"], /\bhf_[A-Za-z0-9]{34}\b/g),
  ...looks("groq-key", ["gsk_"], /\bgsk_[A-Za-z0-9]{52}\b/g),
  ...looks("xai-key", ["xai-"], /\bxai-[A-Za-z0-9]{80}\b/g),
  ...looks("replicate-token", ["r8_"], /\br8_[A-Za-z0-9]{37}\b/g),
  ...looks("perplexity-key", ["pplx-"], /\bpplx-[A-Za-z0-9]{48,56}\b/g),
  ...looks("sendgrid-key", ["SG."], /\bSG\.[\w-]{22}\.[\w-]{43}(?![\w-])/g),
  ...looks("mailgun-key", ["key-"], /\bkey-[0-9a-f]{32}\b/g),
  ...looks("twilio-key", ["SK"], /\bSK[0-9a-f]{32}\b/g),
  ...looks("digitalocean-token", ["_v1_"], /\bdo[opr]_v1_[0-9a-f]{64}\b/g),
  ...looks("databricks-token", ["dapi"], /\bdapi[0-9a-f]{32}\b/g),
  ...looks("linear-key", ["lin_"], /\blin_(?:api|oauth)_[A-Za-z0-9]{40,64}\b/g),
  ...looks("notion-token", ["ntn_", "secret_"], /\bntn_[A-Za-z0-9]{40,50}\b/g, /\bsecret_[A-Za-z0-9]{43}\b/g),
  ...looks("shopify-token", ["shp"], /\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}\b/g),
  ...looks("heroku-key", ["HRKU-"], /\bHRKU-[\w-]{36,64}/g),
  ...looks("fly-token", ["fm1", "fm2"], /\bfm[12][ar]?_[A-Za-z0-9+/=_-]{60,2000}/g),
  ...looks("vercel-token", ["vercel_blob_rw_"], /\bvercel_blob_rw_[A-Za-z0-9]{10,40}_[A-Za-z0-9]{20,60}\b/g),
  ...looks("supabase-key", ["sbp_", "sb_secret_"], /\bsbp_[0-9a-f]{40}\b/g, /\bsb_secret_[\w-]{20,60}/g),
  ...looks("planetscale-token", ["pscale_"], /\bpscale_(?:tkn|pw|oauth)_[\w.-]{32,64}/g),
  ...looks("doppler-token", ["dp."], /\bdp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{40,64}/g),
  ...looks("vault-token", ["hvs.", "hvb.", "hvr."], /\bhv[sbr]\.[\w-]{24,300}/g),
  ...looks("terraform-token", [".atlasv1."], /\b[A-Za-z0-9]{14}\.atlasv1\.[\w-]{60,80}/g),
  ...looks(
    "grafana-token",
    ["glsa_", "glc_"],
    /\bglsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}\b/g,
    /\bglc_[A-Za-z0-9+/]{32,400}={0,2}/g,
  ),
  ...looks("newrelic-key", ["NRAK-"], /\bNRAK-[A-Z0-9]{27}\b/g),
  ...looks(
    "sentry-token",
    ["sntrys_", "sntryu_"],
    /\bsntrys_eyJ[\w+/=.-]{40,400}/g,
    /\bsntryu_[0-9a-f]{64}\b/g,
  ),
  ...looks("postman-key", ["PMAK-"], /\bPMAK-[0-9a-f]{24}-[0-9a-f]{34}\b/g),
  ...looks("figma-token", ["figd_"], /\bfigd_[\w-]{40}(?![\w-])/g),
  ...looks("airtable-token", ["pat"], /\bpat[A-Za-z0-9]{14}\.[0-9a-f]{64}\b/g),
  ...looks("atlassian-token", ["ATATT3"], /\bATATT3[\w=-]{50,300}/g),
  ...looks("age-key", ["AGE-SECRET-KEY-1"], /\bAGE-SECRET-KEY-1[0-9A-Z]{58}\b/g),
  ...looks("json-web-token", ["eyJ"], /\beyJ[\w-]{10,4000}\.eyJ[\w-]{10,8000}\.[\w-]{20,2000}/g),
  ...looks(
    "authorization",
    ["uthorization", "UTHORIZATION"],
    /((?:[Aa]uthorization|AUTHORIZATION)["']?\s{0,3}[:=]\s{0,3}["']?(?:[Bb]earer|[Bb]asic|[Tt]oken) )[\w.~+/=-]{16,4000}/g,
  ),
  ...looks("password-in-url", ["://"], /(:\/\/[^\s/:@"']{0,100}:)[^\s/:@"']{3,200}(?=@)/g),
];
