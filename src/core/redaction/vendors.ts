/** The prefixes by which vendors make their tokens known, and what follows each. Data; `tokens.ts` reads it. */

export interface VendorRule {
  readonly prefixes: readonly string[];
  /** What follows the prefix up to the end of the word. */
  readonly body: RegExp;
  /** The prefix is an ordinary part of words: the body must look made by a machine, the more so inside a word. */
  readonly ordinary?: true;
}

const WITH_DIGIT = /^(?=[^\d]*\d)[\w-]{16,}$/;
const LETTERS_AND_DIGITS = /^[A-Za-z0-9]{16}/;

const VENDOR_RULES: readonly VendorRule[] = [
  // Models.
  {
    prefixes: [
      "sk-",
      "rk-",
      "xai-",
      "pplx-",
      "tvly-",
      "fc-",
      "jina_",
      "fw_",
      "gsk_",
      "csk-",
      "nvapi-",
      "pa-",
      "lsv2_pt_",
    ],
    body: /^[\w-]{13,}$/,
    ordinary: true,
  },
  {
    prefixes: ["lsv2_sk_", "tgp_v1_", "pcsk_", "e2b_", "rpa_", "r8_", "wandb_v1_", "ABSK", "sk_cr_"],
    body: WITH_DIGIT,
    ordinary: true,
  },
  { prefixes: ["hf_", "api_org_"], body: /^[A-Za-z0-9]{20}/ },
  { prefixes: ["AIza"], body: /^[\w-]{30,}$/ },
  // Code hosting, packages, builds.
  { prefixes: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], body: LETTERS_AND_DIGITS },
  { prefixes: ["github_pat_"], body: WITH_DIGIT },
  {
    prefixes: [
      "glpat-",
      "gldt-",
      "glrt-",
      "glptt-",
      "glcbt-",
      "glsoat-",
      "glft-",
      "gloas-",
      "glimt-",
      "glagent-",
      "glffct-",
      "glwt-",
    ],
    body: /^(?=[^\dA-Z]*[\dA-Z])[\w-]{16,}$/,
  },
  { prefixes: ["GR1348941"], body: /^[\w-]{20}/ },
  { prefixes: ["ATATT3", "ATCTT3", "ATBB", "ATSTT3"], body: /^[\w-]{20,}$/ },
  { prefixes: ["npm_"], body: /^[A-Za-z0-9]{30}/ },
  { prefixes: ["pypi-"], body: /^[\w-]{40,}$/ },
  { prefixes: ["rubygems_"], body: /^[0-9a-f]{32,}$/ },
  { prefixes: ["oy2"], body: /^[a-z0-9]{43}$/ },
  { prefixes: ["CLOJARS_"], body: /^[0-9a-z]{40,}$/ },
  { prefixes: ["AKCp"], body: /^[A-Za-z0-9]{60,}$/ },
  {
    prefixes: ["CCIPAT_", "CCIPRJ_", "bkua_", "bkct_", "sgp_", "squ_", "sqp_", "sqa_", "snyk_", "packagist_"],
    body: WITH_DIGIT,
  },
  { prefixes: ["dckr_pat_", "dckr_oat_"], body: WITH_DIGIT, ordinary: true },
  // Clouds, hosting, infrastructure.
  { prefixes: ["AKIA", "ASIA", "ABIA", "ACCA"], body: /^[A-Z0-9]{16}(?![A-Z0-9])/ },
  { prefixes: ["LTAI", "AKID", "AKLT"], body: /^(?=[^\d]*\d)(?=[^a-z]*[a-z])[A-Za-z0-9]{16,}$/ },
  { prefixes: ["GOCSPX-"], body: /^[\w-]{20,}$/ },
  { prefixes: ["dop_v1_", "doo_v1_", "dor_v1_"], body: /^[0-9a-f]{32}/ },
  { prefixes: ["dapi", "dkea", "dose"], body: /^[0-9a-f]{32}(?:-\d)?$/, ordinary: true },
  { prefixes: ["pul-"], body: /^[0-9a-f]{40}$/, ordinary: true },
  { prefixes: ["HRKU-"], body: WITH_DIGIT },
  {
    prefixes: [
      "vcp_",
      "vci_",
      "vca_",
      "vcr_",
      "vck_",
      "cfk_",
      "cfut_",
      "cfat_",
      "nfp_",
      "nfc_",
      "nfo_",
      "nfu_",
      "rnd_",
    ],
    body: WITH_DIGIT,
    ordinary: true,
  },
  {
    prefixes: ["sbp_", "sb_secret_", "napi_", "pscale_tkn_", "pscale_pw_", "pscale_oauth_"],
    body: WITH_DIGIT,
    ordinary: true,
  },
  { prefixes: ["tskey-", "fo1_", "fm2_", "fm1r_", "fm1a_"], body: WITH_DIGIT, ordinary: true },
  { prefixes: ["NRAK-", "NRJS-", "NRII-", "NRIQ-"], body: /^[\w-]{16,}$/ },
  { prefixes: ["glsa_", "glc_", "sntrys_", "sntryu_", "phx_", "eyJrIjoi"], body: WITH_DIGIT, ordinary: true },
  { prefixes: ["pnu_", "CFPAT-", "unkey_", "ion_", "zpka_"], body: WITH_DIGIT, ordinary: true },
  { prefixes: ["ops_eyJ"], body: /^[\w-]{40,}/ },
  { prefixes: ["A3-"], body: /^[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}$/ },
  { prefixes: ["AGE-SECRET-KEY-1"], body: /^[A-Z0-9]{50,}$/ },
  { prefixes: ["xprv", "yprv", "zprv"], body: /^[A-Za-z0-9]{100,}$/ },
  // Messages and work.
  {
    prefixes: ["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe-", "xoxc-", "xoxd-", "xoxo-", "xapp-", "xwfp-"],
    body: /^(?=[^\d]*\d)[\w-]{10,}$/,
  },
  {
    prefixes: ["figd_", "lin_api_", "lin_oauth_", "ntn_", "secret_", "tfp_", "sdk-", "mob-"],
    body: WITH_DIGIT,
    ordinary: true,
  },
  { prefixes: ["PMAK-"], body: /^[0-9a-f]{24}-[0-9a-f]{34}$/ },
  { prefixes: ["pat-na1-", "pat-eu1-"], body: /^[0-9a-f-]{36}$/ },
  { prefixes: ["xkeysib-", "xsmtpsib-"], body: /^[0-9a-f]{32}/ },
  { prefixes: ["key-"], body: /^[0-9a-f]{32}$/ },
  { prefixes: ["re_", "pk_"], body: /^(?=[^\d]*\d)\w{8}_[A-Za-z0-9]{24}|^\d{6,12}_[A-Z0-9]{32}$/ },
  { prefixes: ["SK", "AC"], body: /^[0-9a-f]{32}$/, ordinary: true },
  // Money and trade.
  { prefixes: ["sk_live_", "sk_test_", "rk_live_", "rk_test_", "sk_org_", "whsec_"], body: LETTERS_AND_DIGITS },
  { prefixes: ["shpat_", "shpca_", "shppa_", "shpss_"], body: /^[0-9a-fA-F]{24}/ },
  { prefixes: ["sq0csp-", "sq0atp-", "EAAA", "EAAC", "EAAG"], body: /^(?=[^\d]*\d)[\w-]{22,}$/ },
  {
    prefixes: ["rzp_live_", "rzp_test_", "FLWSECK-", "FLWSECK_TEST-", "shippo_live_", "shippo_test_"],
    body: /^(?=[^\d]*\d)[\w-]{14,}/,
  },
  { prefixes: ["duffel_live_", "duffel_test_", "fio-u-"], body: WITH_DIGIT },
  { prefixes: ["access-sandbox-", "access-development-", "access-production-"], body: /^[0-9a-f-]{36}$/ },
  { prefixes: ["EZAK", "EZTK"], body: /^[A-Za-z0-9]{54}$/ },
];

type Prefixed = readonly [prefix: string, rule: VendorRule];

const BEGINNING_CHARS = 2;
/** Two letters tell nearly every prefix from ordinary words, and all prefixes have two. */
const RULES_BY_BEGINNING = Map.groupBy(
  VENDOR_RULES.flatMap((rule) => rule.prefixes.map((prefix): Prefixed => [prefix, rule])),
  ([prefix]) => prefix.slice(0, BEGINNING_CHARS),
);

/** The rules that a word beginning at `start` may follow, if any. */
export function vendorRulesFor(text: string, start: number): readonly Prefixed[] | undefined {
  return RULES_BY_BEGINNING.get(text.slice(start, start + BEGINNING_CHARS));
}
