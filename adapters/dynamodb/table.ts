/**
 * The two tables, and the only place that spells their keys. The twin, the tests and the CDK stacks
 * import this file, so it imports nothing. Partition and sort key joined by `:` give the pattern of
 * a record in docs/service.md, Records; a record without a second part has the sort key `-`.
 */

export type TableDefinition = {
  readonly name: 'Gateway' | 'Sessions'
  readonly partitionKey: 'pk'
  readonly sortKey: 'sk'
  /** Epoch seconds. TTL deletion lags by days: readers compare expiry themselves. */
  readonly ttlAttribute: 'ttl'
  readonly pointInTimeRecovery: boolean
  readonly deletionProtection: boolean
  /**
   * What the records of the stream have. A stream cannot change this: it would have to be replaced,
   * and its readers with it.
   */
  readonly stream: 'NEW_AND_OLD_IMAGES' | 'NEW_IMAGE' | undefined
}

/** Data that must survive: users, keys, skills, money. */
export const GATEWAY_TABLE: TableDefinition = {
  name: 'Gateway',
  partitionKey: 'pk',
  sortKey: 'sk',
  ttlAttribute: 'ttl',
  pointInTimeRecovery: true,
  deletionProtection: true,
  // Also the old image: what a write changed, and what a removal took, are in no other place.
  stream: 'NEW_AND_OLD_IMAGES',
}

/** Data that lives for an hour or a day: sessions, replies, leases of streams, stored answers. */
export const SESSIONS_TABLE: TableDefinition = {
  name: 'Sessions',
  partitionKey: 'pk',
  sortKey: 'sk',
  ttlAttribute: 'ttl',
  pointInTimeRecovery: false,
  deletionProtection: false,
  stream: 'NEW_IMAGE',
}

export type Key = { readonly pk: string; readonly sk: string }

/**
 * Prefixes of partition keys; a constant without a final `:` is a whole key. Function policies name
 * these prefixes (permissions.ts). Each is a constant of its own, so a bundle keeps only what it
 * uses.
 */
export const AUTH_PK = 'auth:hash:'
/** Sub-keys: their hashes begin with SUB_KEY_HASH_START (core/access/sub-key.ts). */
export const SUB_AUTH_PK = 'auth:hash:sub:'
/** Access tokens of logins, beside the keys: no hash of a key has a colon. */
export const TOKEN_PK = 'auth:hash:t:'
/** Identities of issuers, beside the keys: their ids are their hashes (core/access/identity.ts). */
export const IDENTITY_AUTH_PK = 'auth:hash:i:'
export const IDENTITY_INVITE_PK = 'identity_invite:'
export const LOGIN_PK = 'login:'
export const LOGINS_PK = 'logins:'
/** The use of an invitation, by the hash of its key. */
export const INVITE_PK = 'invite:'
export const LOGIN_SECRET_PK = 'login_secret'
export const ISSUER_KEYS_PK = 'jwks:'
export const USER_KEYS_PK = 'keys:'
export const ADMIN_KEYS_PK = 'admin_keys'
export const ADMIN_KEY_NAMES_PK = 'admin_key_names'
/**
 * Audit records of each day: only admin may put them, and no function may update or delete them.
 */
export const AUDIT_PK = 'audit:'
export const PROFILE_PK = 'profile:'
export const USERNAMES_PK = 'username:'
export const USERS_PK = 'users:'
export const IDENTITY_PK = 'identity:'
/** Calls of each key in a minute. The sweep reads these counts to find users with open holds. */
export const MINUTE_PK = 'minute:'
export const PRIVATE_SKILLS_PK = 'skill:private:'
export const OFFICIAL_SKILLS_PK = 'skill:official'
export const MARKET_SKILLS_PK = 'skill:market'
export const TOOL_NAMES_PK = 'toolname:'
export const SKILL_VERSIONS_PK = 'skillversion:'
export const GUIDES_PK = 'guides'
/** Versions of each guide, with the parts of its files. */
export const GUIDE_VERSIONS_PK = 'guide:'
export const SECRETS_PK = 'skill:secrets:'
export const SHARED_SECRETS_PK = 'secrets:shared'
export const SECRETS_USED_PK = 'secrets:used'
export const TOOLS_CACHE_PK = 'mcp_registry:tools_cache'
export const TOOLS_DRAFT_PK = 'mcp_registry:tools_draft:'
export const BROADCAST_PK = 'mcp_broadcast:tools_changed'
export const BROADCAST_COPIES_PK = 'mcp_broadcast:tools_changed:'
export const LEDGER_PK = 'ledger:'
/** Prefix of the sort keys of grants, which share their partition with the outcomes of calls. */
export const GRANT_SK = 'grant#'
/** Users who may have a debt: one partition, because corrections below zero are rare. */
export const DEBTS_PK = 'debts'
/** Followed by the state of the events in the partition. */
export const EVENTS_PK = 'events:'
export const SWEEP_CURSOR_PK = 'sweep:cursor'
export const USAGE_PAGES_PK = 'usage:page:'
/** Sums of skills have a partition of their own, so that a policy can allow them alone. */
export const USAGE_SKILLS_PK = 'usage:sum:skill'
/** Followed by a level and a period of it. */
export const USAGE_DETAILS_PK = 'usage:detail:'
export const USAGE_HEAD_PK = 'usage:head'
export const V0_CREDITS_PK = 'credits:'
export const V0_TIER_PK = 'tier:'
export const V0_KEY_PK = 'user:uid:'
export const V0_ASKED_PK = 'v0:asked'
export const SESSION_PK = 'session:'
export const STREAMS_PK = 'streams'
export const STREAMS_PARTS_PK = 'streams:'
export const OPENINGS_PK = 'openings'
export const ANSWER_PK = 'answer:'
export const INPUT_PK = 'input:'
export const EXCERPT_PK = 'excerpt:'
export const TASK_PK = 'task:'
export const JOB_PK = 'job:'
export const UPSTREAM_SESSION_PK = 'upstream_session:'
export const OAUTH_CLIENT_PK = 'oauth_client:'
/** MCP servers whose tools are skills: few records in one partition, which the sweep reads. */
export const MCP_UPSTREAMS_PK = 'mcp_upstreams'
/** Tools of one such server that wait for an administrator. */
export const MCP_OFFERS_PK = 'mcp_offers:'
/** What such servers hold beside tools. */
export const MCP_HELD_PK = 'mcp_held'

/** Prefix of the sort keys of stream readers, which share a partition with leases. */
export const READER_SK = 'reader#'

/** Sort key of a record that is alone in its partition. */
const SINGLE = '-'

/** DynamoDB's limit of a sort key, in bytes of UTF-8. DynamoDB also refuses an empty key. */
export const SORT_KEY_BYTES_MAX = 1024

export function authKey(keyHash: string): Key {
  return { pk: `${AUTH_PK}${keyHash}`, sk: SINGLE }
}

/** `id` is a digest of an issuer and a mail address. */
export function identityInviteKey(id: string): Key {
  return { pk: `${IDENTITY_INVITE_PK}${id}`, sk: SINGLE }
}

export function loginKey(id: string): Key {
  return { pk: `${LOGIN_PK}${id}`, sk: SINGLE }
}

/** The entry of a login in its user's list, by the key under which it calls. */
export function loginEntryKey(uid: string, keyHash: string, id: string): Key {
  return { pk: `${LOGINS_PK}${uid}`, sk: `${keyHash}#${id}` }
}

/** All entries of one key. */
export function loginEntryRange(
  uid: string,
  keyHash: string,
): { readonly pk: string; readonly from: string; readonly to: string } {
  // '$' is the character after '#'.
  return { pk: `${LOGINS_PK}${uid}`, from: `${keyHash}#`, to: `${keyHash}$` }
}

/** `id`: a hash of the issuer and of the place of its keys. */
export function issuerKeysKey(id: string): Key {
  return { pk: `${ISSUER_KEYS_PK}${id}`, sk: SINGLE }
}

export function inviteKey(keyHash: string): Key {
  return { pk: `${INVITE_PK}${keyHash}`, sk: SINGLE }
}

export function loginSecretKey(): Key {
  return { pk: LOGIN_SECRET_PK, sk: SINGLE }
}

/** The entry of a key in its user's list; the key's own record is `authKey`. */
export function userKeyKey(uid: string, keyHash: string): Key {
  return { pk: `${USER_KEYS_PK}${uid}`, sk: keyHash }
}

export function adminKeyKey(keyId: string): Key {
  return { pk: ADMIN_KEYS_PK, sk: keyId }
}

export function adminKeyNameKey(name: string): Key {
  return { pk: ADMIN_KEY_NAMES_PK, sk: name }
}

/** Sorts by intent number, so the outcome of an intent follows it directly. */
export function auditRecordKey(day: string, intent: number, kind: string): Key {
  return { pk: `${AUDIT_PK}${day}`, sk: `${digits(intent)}#${kind}` }
}

/** Sort keys of all records whose intent has a smaller number than `before`, without the head. */
export function auditRange(before: number | undefined): {
  readonly from: string
  readonly to: string
} {
  // ':' is the character after '9'. A record's key sorts after its number, because it is longer.
  return { from: '0', to: before === undefined ? ':' : digits(before) }
}

export function auditHeadKey(day: string): Key {
  return { pk: `${AUDIT_PK}${day}`, sk: 'head' }
}

export function auditLastDayKey(): Key {
  return { pk: `${AUDIT_PK}last`, sk: SINGLE }
}

export function profileKey(uid: string): Key {
  return { pk: `${PROFILE_PK}${uid}`, sk: SINGLE }
}

export function usernameKey(name: string): Key {
  return { pk: `${USERNAMES_PK}${name}`, sk: SINGLE }
}

/** Separates name and uid in the sort key of a listed user. No name contains this character. */
const NAME_END = '\u0001'
/** Sorts after every character of a name. */
const LAST_CHARACTER = '\u{10FFFF}'

/** An entry of a list of users, which sorts by folded name, then uid. */
export function listedUserKey(facet: string, place: { name: string; uid: string }): Key {
  return { pk: `${USERS_PK}${facet}`, sk: `${place.name}${NAME_END}${place.uid}` }
}

/** Sort keys (both ends included) of the users after `after` whose names begin with `prefix`. */
export function listedUserRange(
  prefix: string,
  after: { name: string; uid: string } | undefined,
): { readonly from: string; readonly to: string } {
  const to = `${prefix}${LAST_CHARACTER}`
  if (after === undefined) return { from: prefix === '' ? NAME_END : prefix, to }
  return { from: `${listedUserKey('', after).sk}${NAME_END}`, to }
}

export function debtKey(uid: string): Key {
  return { pk: DEBTS_PK, sk: uid }
}

export function eventKey(state: string, eventId: string): Key {
  return { pk: `${EVENTS_PK}${state}`, sk: eventId }
}

/** `identity` is case-folded. */
export function identityKey(identity: string): Key {
  return { pk: `${IDENTITY_PK}${identity}`, sk: SINGLE }
}

export function privateSkillKey(uid: string, skillId: string): Key {
  return { pk: `${PRIVATE_SKILLS_PK}${uid}`, sk: skillId }
}

export function officialSkillKey(skillId: string): Key {
  return { pk: OFFICIAL_SKILLS_PK, sk: skillId }
}

export function marketSkillKey(skillId: string): Key {
  return { pk: MARKET_SKILLS_PK, sk: skillId }
}

/** All versions of a user's private skills share a partition, so one query finds them all. */
export function skillVersionKey(
  of: { readonly source: string; readonly uid?: string | undefined; readonly skillId: string },
  version: number,
): Key {
  const owner = of.source === 'private' ? `:${of.uid ?? ''}` : ''
  return { pk: `${SKILL_VERSIONS_PK}${of.source}${owner}`, sk: `${of.skillId}#${digits(version)}` }
}

export function guideKey(guideId: string): Key {
  return { pk: GUIDES_PK, sk: guideId }
}

export function guideVersionKey(guideId: string, version: number): Key {
  return { pk: `${GUIDE_VERSIONS_PK}${guideId}`, sk: `head#${digits(version)}` }
}

/** Parts of the files of one version, 3 at most. */
export function guidePartKey(guideId: string, version: number, part: number): Key {
  return { pk: `${GUIDE_VERSIONS_PK}${guideId}`, sk: `part#${digits(version)}.${part}` }
}

export function toolNameKey(uid: string, toolName: string): Key {
  return { pk: `${TOOL_NAMES_PK}${uid}`, sk: toolName }
}

/**
 * Undefined `skillId`: secrets for all skills of the user. Skill ids have a prefix, so none is `-`.
 */
export function secretsKey(uid: string, skillId: string | undefined): Key {
  return { pk: `${SECRETS_PK}${uid}`, sk: skillId ?? SINGLE }
}

/** Shared secrets of one skill; undefined: for all skills. */
export function sharedSecretsKey(skillId: string | undefined): Key {
  return { pk: SHARED_SECRETS_PK, sk: skillId ?? SINGLE }
}

/** The record of when a shared secret was last used. No skill id contains a `#`. */
export function secretUsedKey(skillId: string | undefined, name: string): Key {
  return { pk: SECRETS_USED_PK, sk: `${skillId ?? SINGLE}#${name}` }
}

export function toolsCacheHeadKey(): Key {
  return { pk: TOOLS_CACHE_PK, sk: 'head' }
}

export function toolsCachePartKey(version: string, part: number): Key {
  return { pk: TOOLS_CACHE_PK, sk: `${version}#${part}` }
}

/** A part of a tool list that is being rebuilt. The parts, 30 at most, sort by number. */
export function toolsDraftKey(id: string, part: number): Key {
  return { pk: `${TOOLS_DRAFT_PK}${id}`, sk: String(part).padStart(2, '0') }
}

export function toolListVersionKey(): Key {
  return { pk: BROADCAST_PK, sk: SINGLE }
}

/** Each copy has its own partition, so that reads are spread over the copies. */
export function toolListVersionCopyKey(copy: number): Key {
  return { pk: `${BROADCAST_COPIES_PK}${copy}`, sk: SINGLE }
}

export function ledgerKey(uid: string, callId: string): Key {
  return { pk: `${LEDGER_PK}${uid}`, sk: callId }
}

export function grantKey(uid: string, grantId: string): Key {
  return { pk: `${LEDGER_PK}${uid}`, sk: `${GRANT_SK}${grantId}` }
}

/**
 * Partitions of one minute. DynamoDB allows 1,000 writes a second to a partition. If 100,000 users
 * each make one call a minute, each partition gets about 210 writes a second.
 */
export const MINUTE_SHARDS = 8

/**
 * FNV-1a of the sort key: every process finds the same shard, so a key has one count per minute.
 */
export function findMinuteShard(sk: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < sk.length; at += 1) {
    hash = Math.imul(hash ^ sk.charCodeAt(at), 0x01000193)
  }
  return (hash >>> 0) % MINUTE_SHARDS
}

export function minuteShardPk(minute: number, shard: number): string {
  return `${MINUTE_PK}${minute}:${shard}`
}

/**
 * `sk`: the hash of a key, or another counted name. While a key's own shard is throttled, its calls
 * are counted in the opposite shard.
 */
export function minuteKey(minute: number, sk: string, shard: 'own' | 'opposite' = 'own'): Key {
  const offset = shard === 'own' ? 0 : MINUTE_SHARDS / 2
  return { pk: minuteShardPk(minute, (findMinuteShard(sk) + offset) % MINUTE_SHARDS), sk }
}

export function sweepCursorKey(): Key {
  return { pk: SWEEP_CURSOR_PK, sk: SINGLE }
}

export function usagePageKey(slot: number, id: string): Key {
  return { pk: `${USAGE_PAGES_PK}${slot}`, sk: id }
}

/** The letters of the levels sort their periods apart in one partition. */
const PERIOD_LETTERS: { readonly [level: string]: string } = { hour: 'h', day: 'd', month: 'm' }

function periodName(level: string, index: number): string {
  return `${PERIOD_LETTERS[level]}${String(index).padStart(6, '0')}`
}

/** `index`: the number of an hour, a day or a month. Its parts, 99 at most, sort by number. */
export function usageSkillsKey(level: string, index: number, part: number): Key {
  return {
    pk: USAGE_SKILLS_PK,
    sk: `${periodName(level, index)}#${String(part).padStart(2, '0')}`,
  }
}

/** Sort keys of all parts of the sums from one period to another, both included. */
export function usageSkillsRange(
  level: string,
  from: number,
  to: number,
): {
  readonly from: string
  readonly to: string
} {
  // '$' is the character after '#'.
  return { from: `${periodName(level, from)}#`, to: `${periodName(level, to)}$` }
}

/** The part of a period's details that begins at the key `from`, which may be empty. */
export function usageDetailsKey(level: string, index: number, from: string): Key {
  return { pk: `${USAGE_DETAILS_PK}${periodName(level, index)}`, sk: `#${from}` }
}

export function usageHeadKey(level: string): Key {
  return { pk: USAGE_HEAD_PK, sk: level }
}

/** Records of the earlier service, with its spelling of hashes, and a request to move a key. */
export const v0CreditsKey = (uid: string): Key => single(`${V0_CREDITS_PK}${uid}`)
export const v0TierKey = (uid: string): Key => single(`${V0_TIER_PK}${uid}`)
export const v0KeyKey = (hash: string): Key => single(`${V0_KEY_PK}${hash}`)
export const v0AskedKey = (keyHash: string): Key => ({ pk: V0_ASKED_PK, sk: keyHash })
const single = (pk: string): Key => ({ pk, sk: SINGLE })

export function sessionKey(hash: string): Key {
  return { pk: `${SESSION_PK}${hash}`, sk: 'meta' }
}

/** Sorts by number: replies of a session are read in the order of their requests. */
export function replyKey(hash: string, seq: number): Key {
  return { pk: `${SESSION_PK}${hash}`, sk: `reply#${digits(seq)}` }
}

/** `writer` separates two writers of one seq, so that neither overwrites the other's parts. */
export function replyPartKey(hash: string, seq: number, writer: string, part: number): Key {
  return { pk: `${SESSION_PK}${hash}`, sk: `reply#${digits(seq)}#${writer}.${part}` }
}

/** Sort keys of all heads and parts of replies with `after` < seq <= `upTo`. */
export function replyRange({ after, upTo }: { readonly after: number; readonly upTo?: number }): {
  readonly from: string
  readonly to: string
} {
  // ':' is the character after '9', and sorts after '#'.
  return {
    from: `reply#${digits(after + 1)}`,
    to: upTo === undefined ? 'reply#:' : `reply#${digits(upTo)}:`,
  }
}

/**
 * Partitions of leases; the hash of a session decides which one holds its lease:
 * docs/design/streams.md#leases.
 */
export const STREAMS_PARTS = 8

export function leaseKey(keyHash: string, session: string): Key {
  return { pk: streamsPk(findStreamsPart(session)), sk: `${keyHash}#${session}` }
}

/** The first part also holds the records of stream readers. */
export function streamsPk(part: number): string {
  return part === 0 ? STREAMS_PK : `${STREAMS_PARTS_PK}${part}`
}

export function findStreamsPart(session: string): number {
  let folded = 0
  for (const character of session) {
    folded = (folded * 31 + (character.codePointAt(0) ?? 0)) % 65_521
  }
  return folded % STREAMS_PARTS
}

/** The record that counts openings, with the number of streams at the last full list. */
export function openingsKey(): Key {
  return { pk: OPENINGS_PK, sk: SINGLE }
}

/** A stream reader, in a partition of leases: no key hash is `reader`. */
export function readerKey(n: number): Key {
  return { pk: STREAMS_PK, sk: `${READER_SK}${n}` }
}

/** `hash` is a digest of a request id to a client and of the client's key. */
export function inputKey(hash: string): Key {
  return { pk: `${INPUT_PK}${hash}`, sk: SINGLE }
}

/** `id` is a digest of user and Idempotency-Key. */
export function answerKey(id: string): Key {
  return { pk: `${ANSWER_PK}${id}`, sk: 'head' }
}

/** `writer` separates two writers, as with replies. The parts, 8 at most, sort by number. */
export function answerPartKey(id: string, writer: string, part: number): Key {
  return { pk: `${ANSWER_PK}${id}`, sk: `${answerPartsPrefix(writer)}${part}` }
}

export function answerPartsPrefix(writer: string): string {
  return `part#${writer}.`
}

export function excerptKey(uid: string, callId: string): Key {
  return { pk: `${EXCERPT_PK}${uid}`, sk: callId }
}

function digits(seq: number): string {
  return String(seq).padStart(12, '0')
}

/** `hash` is the sha256 of the task's id. */
export function taskKey(hash: string): Key {
  return { pk: `${TASK_PK}${hash}`, sk: 'head' }
}

/**
 * As with answers. There are 12 parts at most, and a read gives them in the order of their keys.
 */
export function taskPartKey(hash: string, writer: string, part: number): Key {
  const place = String(part).padStart(2, '0')
  return { pk: `${TASK_PK}${hash}`, sk: `${taskPartsPrefix(writer)}${place}` }
}

export function taskPartsPrefix(writer: string): string {
  return `part#${writer}.`
}

/** The sweep finds it by the call id of a hold. */
export function jobKey(callId: string): Key {
  return { pk: `${JOB_PK}${callId}`, sk: SINGLE }
}

/** `id`: a digest of the server, of the credential there, and of its user. */
export function upstreamSessionKey(id: string): Key {
  return { pk: `${UPSTREAM_SESSION_PK}${id}`, sk: SINGLE }
}

/** `id`: a digest of the authorization server and of the gateway's callback URL. */
export function oauthClientKey(id: string): Key {
  return { pk: `${OAUTH_CLIENT_PK}${id}`, sk: SINGLE }
}

export function mcpUpstreamKey(id: string): Key {
  return { pk: MCP_UPSTREAMS_PK, sk: id }
}

/** `tool` is the server's own name, of at most 128 characters. */
export function mcpOfferKey(id: string, tool: string): Key {
  return { pk: `${MCP_OFFERS_PK}${id}`, sk: tool }
}

export function mcpHeldKey(id: string): Key {
  return { pk: MCP_HELD_PK, sk: id }
}
