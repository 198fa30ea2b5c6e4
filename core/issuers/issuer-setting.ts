/**
 * The setting `issuers`: a list of objects that operators write, in a stage or as JSON. Each error
 * is one line with the field, what is wrong, and what to give. No line repeats a secret. Fields
 * with a default may be left out. Bound by docs/issuers/README.md and ADR 0114.
 */
import type { AdminRole } from '../access/admin-role.ts'
import { err, ok, type Result } from '../errors.ts'
import { parseJson } from '../json/parse-json.ts'
import { describeChoices, describeWrongValue } from '../settings/describe-setting.ts'
import { LOOPBACK } from '../settings/form.ts'
import { toAudienceForms } from './audience-forms.ts'
import {
  checkAll,
  checkChoice,
  checkFields,
  checkList,
  checkMap,
  checkSecret,
  checkText,
  checkWhole,
} from './check-fields.ts'
import { type AdminIssuer, type ConsoleIssuer, type Issuer, PROVISION_MODES } from './issuer.ts'

/** Each process fetches the keys of each issuer. Few operators have two. */
export const ISSUERS_MAX = 5
/** Bytes of the JSON. A function's variables have 4 kB together; a file may have spaces. */
export const ISSUERS_BYTES_MAX = 16_384
/** Entries of one list within an issuer: audiences, clients, domains, scopes. */
export const ISSUER_ENTRIES_MAX = 10
/** Values of a claim that are mapped to tiers, groups or roles. */
export const CLAIM_VALUES_MAX = 20
/** Characters of an audience, a client id, a scope, a claim or its value: those of URLs suffice. */
export const ISSUER_TEXT_CHARS_MAX = 256
/** Micro-credits are kept up to 100 million credits (core/ledger/amount.ts). */
const INITIAL_CREDITS_MAX = 100_000_000

/** An issuer as an operator writes it. */
export type IssuerSetting = Pick<Issuer, 'issuer'> &
  Partial<Omit<Issuer, 'issuer' | 'admin' | 'console'>> & {
    readonly admin?: Omit<AdminIssuer, 'scopes'> & Partial<Pick<AdminIssuer, 'scopes'>>
    readonly console?: Pick<ConsoleIssuer, 'clientId'> & Partial<ConsoleIssuer>
  }

/** Reads the JSON of a function's variable or of the twin's file. */
export function parseIssuers(
  name: string,
  text: string | Uint8Array,
): Result<readonly IssuerSetting[], readonly string[]> {
  const json = parseJson(text, { subject: name, bytesMax: ISSUERS_BYTES_MAX })
  if (!json.ok) return err([json.error.detail])
  const faults = findIssuerErrors(name, json.value)
  // A cast, as in parsers: every field was checked.
  return faults.length === 0 ? ok(json.value as readonly IssuerSetting[]) : err(faults)
}

/** A line for each error of the list; [] if it has none. */
export function findIssuerErrors(name: string, value: unknown): readonly string[] {
  const faults = CHECK(name, value)
  // The rules between fields read fields that have their types.
  if (faults.length > 0) return faults
  const issuers = value as readonly IssuerSetting[]
  return issuers.flatMap((one, index) => findConflicts(`${name}[${index}]`, one, issuers))
}

/** The JSON that {@link parseIssuers} reads; empty for an empty list. */
export function writeIssuers(value: unknown): string {
  return Array.isArray(value) && value.length > 0 ? JSON.stringify(value) : ''
}

/** As core/login/token-scopes.ts names them. */
const CONSOLE_SCOPES = ['tools:call', 'account']

/** The issuer with the defaults of the fields that were left out. */
export function toIssuer({ admin, console: ofUsers, ...given }: IssuerSetting): Issuer {
  const scopes = ['openid', ...CONSOLE_SCOPES.map((scope) => `${given.scopePrefix ?? ''}${scope}`)]
  return {
    audiences: [],
    typ: 'at+jwt',
    clientIds: [],
    scopeClaim: 'scope',
    subjectClaim: 'sub',
    provision: 'off',
    initialCredits: 0,
    tier: 'free',
    allowedDomains: [],
    ...given,
    ...(admin === undefined ? {} : { admin: { scopes: ['openid'], ...admin } }),
    ...(ofUsers === undefined ? {} : { console: { scopes, ...ofUsers } }),
  }
}

/** A line for each tier of an issuer that is neither built in nor has limits of its own. */
export function findUnknownTiers(
  at: string,
  { tier = 'free', tierOf }: Pick<IssuerSetting, 'tier' | 'tierOf'>,
  limits: readonly { readonly tier: string }[],
): readonly string[] {
  const known = [...new Set(['free', 'pro', ...limits.map((limit) => limit.tier)])]
  const named = {
    tier,
    ...Object.fromEntries(
      Object.entries(tierOf?.values ?? {}).map(([value, one]) => [`tierOf.values.${value}`, one]),
    ),
  }
  return Object.entries(named).flatMap(([field, one]) =>
    known.includes(one) ? [] : [describeWrongValue(`${at}.${field}`, one, describeChoices(known))],
  )
}

/** https, or http on this machine, without user, query and fragment (RFC 8414 section 2). */
function isIssuerUrl(text: string): boolean {
  return isUrl(text) && !text.includes('?')
}

function isUrl(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || `${url.username}${url.password}` !== '' || text.includes('#')) return false
  return url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.test(url.hostname))
}

const URL_RULE = 'an https URL without user and fragment (http only on this machine)'
const ISSUER_RULE = 'an https URL without user, query and fragment (http only on this machine)'
const WORD = new RegExp(`^[\\x21-\\x7e]{1,${ISSUER_TEXT_CHARS_MAX}}$`)
/** Characters of a scope (RFC 6749 section 3.3), then the slash after which a token's scope is read. */
const SCOPE_PREFIX = /^[\x21\x23-\x5b\x5d-\x7e]+\/$/
/** As core/access/user-names.ts reads a tier, and core/skills/group-names.ts a group. */
const TIER = /^[A-Za-z0-9_-]{1,64}$/
const GROUP = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/
/** The type makes the list complete. */
const ROLES = {
  owner: true,
  operator: true,
  publisher: true,
  viewer: true,
} satisfies { readonly [R in AdminRole]: true }
const DOMAIN = /^(?=.{1,253}$)[a-z0-9-]+(?:\.[a-z0-9-]+)+$/

const checkWord = checkText(
  (text) => WORD.test(text),
  `1 to ${ISSUER_TEXT_CHARS_MAX} visible ASCII characters without spaces`,
)
const checkWords = checkList(checkWord, ISSUER_ENTRIES_MAX)
const checkUrl = checkText(isUrl, URL_RULE)
const checkScopePrefix = checkText(
  (text) => text.length <= ISSUER_TEXT_CHARS_MAX && SCOPE_PREFIX.test(text),
  `2 to ${ISSUER_TEXT_CHARS_MAX} visible ASCII characters without spaces, quotes and backslashes, a slash last, such as gateway/ or api://app/`,
)
const checkTier = checkText(
  (text) => TIER.test(text),
  'a tier of 1 to 64 characters of A-Z, a-z, 0-9, - and _',
)
const checkGroup = checkText(
  (text) => GROUP.test(text),
  'a group of 1 to 64 characters of A-Z, a-z, 0-9, - and _, a letter or digit first',
)
const checkDomain = checkText(
  (text) => DOMAIN.test(text),
  'a domain in lower case, such as example.com',
)
const checkClaimMap = (checkValue: Parameters<typeof checkMap>[0]) =>
  checkFields(
    {
      claim: checkWord,
      values: checkMap(checkValue, {
        entriesMax: CLAIM_VALUES_MAX,
        charsMax: ISSUER_TEXT_CHARS_MAX,
      }),
    },
    ['claim', 'values'],
  )

const CHECK = checkList(
  checkFields(
    {
      issuer: checkText(isIssuerUrl, ISSUER_RULE),
      jwksUri: checkUrl,
      audiences: checkWords,
      typ: checkChoice(['at+jwt', 'JWT', 'any']),
      clientIds: checkWords,
      scopeClaim: checkChoice(['scope', 'scp', 'permissions']),
      scopePrefix: checkScopePrefix,
      subjectClaim: checkWord,
      tokenUse: checkChoice(['access']),
      introspection: checkFields(
        {
          url: checkUrl,
          clientId: checkWord,
          clientSecret: checkSecret,
        },
        ['url', 'clientId', 'clientSecret'],
      ),
      provision: checkChoice(PROVISION_MODES),
      initialCredits: checkWhole(INITIAL_CREDITS_MAX),
      tier: checkTier,
      tierOf: checkClaimMap(checkTier),
      groupsOf: checkClaimMap(checkGroup),
      allowedDomains: checkList(checkDomain, ISSUER_ENTRIES_MAX),
      admin: checkFields(
        {
          audiences: checkAll(checkWords, (at, value) =>
            Array.isArray(value) && value.length === 0
              ? [`${at}: is empty; give the audience that tokens for the admin API have`]
              : [],
          ),
          roleOf: checkClaimMap(checkChoice(Object.keys(ROLES))),
          clientId: checkWord,
          scopes: checkWords,
        },
        ['audiences', 'roleOf', 'clientId'],
      ),
      console: checkFields({ clientId: checkWord, scopes: checkWords }, ['clientId']),
    },
    ['issuer'],
  ),
  ISSUERS_MAX,
)

/** The rules between fields. */
function findConflicts(
  at: string,
  one: IssuerSetting,
  all: readonly IssuerSetting[],
): readonly string[] {
  const issuer = toIssuer(one)
  const { allowedDomains, audiences, clientIds, provision } = issuer
  return [
    ...(all.filter(({ issuer }) => issuer === one.issuer).length > 1
      ? [`${at}.issuer: is given twice; give each issuer one entry`]
      : []),
    ...(audiences.length === 0 && clientIds.length === 0
      ? [
          `${at}.audiences: is empty; give the audience that tokens for this gateway have, or, if the issuer writes none into tokens, the clients in clientIds`,
        ]
      : []),
    ...(allowedDomains.length > 0 && provision !== 'auto'
      ? [
          `${at}.allowedDomains: is for provision auto and provision is ${provision}; give auto, or no domains`,
        ]
      : []),
    ...(issuer.console !== undefined &&
    clientIds.length > 0 &&
    !clientIds.includes(issuer.console.clientId)
      ? [
          `${at}.clientIds: lacks ${JSON.stringify(issuer.console.clientId)}, the client of console, so its tokens would be refused; add it`,
        ]
      : []),
    ...findMixedUses(at, issuer),
  ]
}

/**
 * A line if a token for agents could be one for administrators, or the other way round: a client of
 * agents could then act as an administrator, and a token for the admin API could spend credits.
 */
function findMixedUses(
  at: string,
  { admin, audiences, clientIds }: Pick<Issuer, 'admin' | 'audiences' | 'clientIds'>,
): readonly string[] {
  const ofAgents = toAudienceForms(audiences)
  const shared = admin?.audiences.find((audience) =>
    toAudienceForms([audience]).some((form) => ofAgents.includes(form)),
  )
  if (shared !== undefined) {
    return [
      `${at}.admin.audiences: has ${JSON.stringify(shared)}, as audiences has; give the admin API an audience of its own`,
    ]
  }
  if (admin === undefined || audiences.length > 0 || !clientIds.includes(admin.clientId)) return []
  return [
    `${at}.clientIds: has the client of admin, whose tokens agents may not use; leave it out, or give audiences`,
  ]
}
